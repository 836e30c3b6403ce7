<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>Adding</name>
        <message>
            <source>Add papers</source>
            <translation>添加论文</translation>
        </message>
        <message>
            <source>Papers (*.pdf *.md *.markdown)</source>
            <translation>论文 (*.pdf *.md *.markdown)</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>Add a folder of papers</source>
            <translation>添加论文文件夹</translation>
        </message>
        <message>
            <source>“%1” was not imported.</source>
            <translation>“%1”未能导入。</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) were not imported.</source>
            <translation>
                <numerusform>%n 个文件未能导入。</numerusform>
            </translation>
        </message>
        <message>
            <source>The import queue gives the reason for each.</source>
            <translation>导入队列中列出了每个文件的原因。</translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) need a password.</source>
            <translation>
                <numerusform>%n 个文件需要密码。</numerusform>
            </translation>
        </message>
        <message>
            <source>Enter password</source>
            <translation>输入密码</translation>
        </message>
        <message>
            <source>Nothing to add there.</source>
            <translation>那里没有可添加的内容。</translation>
        </message>
        <message>
            <source>PDF and Markdown files can be added.</source>
            <translation>可以添加 PDF 和 Markdown 文件。</translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) taken out of the queue.</source>
            <translation>
                <numerusform>已从队列中移除 %n 个文件。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>AnswerView</name>
        <message>
            <source>Copy as Markdown</source>
            <translation>复制为 Markdown</translation>
        </message>
        <message>
            <source>p. %1</source>
            <translation>第 %1 页</translation>
        </message>
        <message>
            <source>Nothing in your library answers this.</source>
            <translation>文献库中没有能回答此问题的内容。</translation>
        </message>
        <message>
            <source>No passage of your library proves this sentence.</source>
            <translation>文献库中没有段落可以证实这句话。</translation>
        </message>
        <message>
            <source>Go on from here in a new conversation</source>
            <translation>从这里在新对话中继续</translation>
        </message>
        <message>
            <source>The reply was cut off here.</source>
            <translation>回复在此处中断。</translation>
        </message>
    </context>
    <context>
        <name>AskName</name>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message>
            <source>Ask your library…</source>
            <translation>向文献库提问…</translation>
        </message>
        <message>
            <source>Question</source>
            <translation>问题</translation>
        </message>
        <message>
            <source>Send</source>
            <translation>发送</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stop the answer (Esc)</source>
            <translation>停止回答 (Esc)</translation>
        </message>
        <message>
            <source>Do not limit the question to %1</source>
            <translation>不再把问题限定于 %1</translation>
        </message>
        <message numerus="yes">
            <source>Too long by %n character(s)</source>
            <translation>
                <numerusform>超出 %n 个字符</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Asks %n selected paper(s)</source>
            <translation>
                <numerusform>向选中的 %n 篇论文提问</numerusform>
            </translation>
        </message>
        <message>
            <source>Asks the whole library</source>
            <translation>向整个文献库提问</translation>
        </message>
        <message>
            <source>Press again not to wait for what is running</source>
            <translation>再按一次即不再等待正在运行的内容</translation>
        </message>
        <message>
            <source>Project folder: the agent may read and write there</source>
            <translation>项目文件夹：智能体可在其中读写</translation>
        </message>
        <message>
            <source>Read at the agent’s next step</source>
            <translation>智能体会在下一步读到</translation>
        </message>
        <message>
            <source>Stopping…</source>
            <translation>正在停止…</translation>
        </message>
        <message>
            <source>Take the project folder away from the agent: %1</source>
            <translation>不再让智能体使用项目文件夹：%1</translation>
        </message>
        <message>
            <source>Tell the agent something while it works…</source>
            <translation>在智能体工作时告诉它…</translation>
        </message>
        <message>
            <source>Waits for what is running to end</source>
            <translation>等待正在运行的内容结束</translation>
        </message>
    </context>
    <context>
        <name>Confirm</name>
        <message>
            <source>Keep</source>
            <translation>保留</translation>
        </message>
    </context>
    <context>
        <name>ConsentLine</name>
        <message>
            <source>Take it back</source>
            <translation>撤回</translation>
        </message>
        <message>
            <source>You agreed that notes and unpublished text of this library are sent to a service.</source>
            <translation>您已同意将此文献库的笔记与未发表文字发送给服务。</translation>
        </message>
        <message>
            <source>Notes and unpublished text are not sent to a service before you agree; you are asked once.</source>
            <translation>未经您同意，笔记与未发表文字不会发送给服务；只会询问一次。</translation>
        </message>
    </context>
    <context>
        <name>DropOverlay</name>
        <message>
            <source>Drop to add to your library</source>
            <translation>松开以添加到文献库</translation>
        </message>
        <message>
            <source>PDF and Markdown files, or folders of them</source>
            <translation>PDF、Markdown 文件或包含它们的文件夹</translation>
        </message>
        <message>
            <source>Drop to add to your models</source>
            <translation>松开即可添加到您的模型</translation>
        </message>
        <message>
            <source>GGUF files; they stay where they are</source>
            <translation>GGUF 文件；原文件不会移动</translation>
        </message>
    </context>
    <context>
        <name>ErrorLog</name>
        <message>
            <source>Errors</source>
            <translation>错误</translation>
        </message>
        <message>
            <source>Copy report</source>
            <translation>复制报告</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>What went wrong since the program was started. Nothing is sent anywhere.</source>
            <translation>程序启动以来出现的问题。不会发送到任何地方。</translation>
        </message>
    </context>
    <context>
        <name>Feed</name>
        <message>
            <source>Show earlier</source>
            <translation>显示更早的内容</translation>
        </message>
    </context>
    <context>
        <name>FindBar</name>
        <message>
            <source>Find in this paper</source>
            <translation>在本文中查找</translation>
        </message>
        <message>
            <source>Previous hit (Shift+F3)</source>
            <translation>上一个 (Shift+F3)</translation>
        </message>
        <message>
            <source>Next hit (F3)</source>
            <translation>下一个 (F3)</translation>
        </message>
        <message>
            <source>Close (Esc)</source>
            <translation>关闭 (Esc)</translation>
        </message>
        <message>
            <source>{number} of {total}</source>
            <translation>第 {number} 个，共 {total} 个</translation>
        </message>
        <message>
            <source>Searching…</source>
            <translation>正在查找…</translation>
        </message>
        <message>
            <source>No hits</source>
            <translation>没有结果</translation>
        </message>
    </context>
    <context>
        <name>GeneralPage</name>
        <message>
            <source>As the system</source>
            <translation>跟随系统</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外观</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>语言</translation>
        </message>
        <message>
            <source>Work offline: nothing leaves this computer</source>
            <translation>离线工作：任何内容都不会离开本机</translation>
        </message>
        <message>
            <source>Network</source>
            <translation>网络</translation>
        </message>
        <message>
            <source>Agent’s permissions</source>
            <translation>智能体权限</translation>
        </message>
        <message>
            <source>Library folder</source>
            <translation>文献库文件夹</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
    </context>
    <context>
        <name>Head</name>
        <message numerus="yes">
            <source>%n step(s)</source>
            <translation>
                <numerusform>%n 步</numerusform>
            </translation>
        </message>
        <message>
            <source>Conversations</source>
            <translation>对话</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>删除…</translation>
        </message>
        <message>
            <source>Export as Markdown…</source>
            <translation>导出为 Markdown…</translation>
        </message>
        <message>
            <source>More</source>
            <translation>更多</translation>
        </message>
        <message>
            <source>New conversation</source>
            <translation>新对话</translation>
        </message>
        <message>
            <source>Project folder…</source>
            <translation>项目文件夹…</translation>
        </message>
        <message>
            <source>Rename…</source>
            <translation>重命名…</translation>
        </message>
    </context>
    <context>
        <name>LibraryPane</name>
        <message>
            <source>Added ↓</source>
            <translation>添加时间 ↓</translation>
        </message>
        <message>
            <source>Added ↑</source>
            <translation>添加时间 ↑</translation>
        </message>
        <message>
            <source>Year ↓</source>
            <translation>年份 ↓</translation>
        </message>
        <message>
            <source>Year ↑</source>
            <translation>年份 ↑</translation>
        </message>
        <message>
            <source>Title</source>
            <translation>标题</translation>
        </message>
        <message>
            <source>First author</source>
            <translation>第一作者</translation>
        </message>
        <message>
            <source>Journal</source>
            <translation>期刊</translation>
        </message>
        <message>
            <source>Only papers with a PDF</source>
            <translation>只显示有 PDF 的论文</translation>
        </message>
        <message>
            <source>Only papers with notes</source>
            <translation>只显示有笔记的论文</translation>
        </message>
        <message>
            <source>Only papers not opened yet</source>
            <translation>只显示尚未打开的论文</translation>
        </message>
        <message numerus="yes">
            <source>%n paper(s)</source>
            <translation>
                <numerusform>%n 篇论文</numerusform>
            </translation>
        </message>
        <message>
            <source>All papers</source>
            <translation>全部论文</translation>
        </message>
        <message>
            <source>Unread</source>
            <translation>未读</translation>
        </message>
        <message>
            <source>Trash</source>
            <translation>回收站</translation>
        </message>
        <message numerus="yes">
            <source>%1 of %n paper(s)</source>
            <translation>
                <numerusform>共 %n 篇论文，显示 %1 篇</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n paper(s) moved to the trash.</source>
            <translation>
                <numerusform>已将 %n 篇论文移至回收站。</numerusform>
            </translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
        <message numerus="yes">
            <source>%n citation(s) copied.</source>
            <translation>
                <numerusform>已复制 %n 条引文。</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n identifier(s) copied.</source>
            <translation>
                <numerusform>已复制 %n 个标识符。</numerusform>
            </translation>
        </message>
        <message>
            <source>Put back</source>
            <translation>放回</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Copy citation</source>
            <translation>复制引文</translation>
        </message>
        <message>
            <source>Copy identifier</source>
            <translation>复制标识符</translation>
        </message>
        <message>
            <source>Mark as unread</source>
            <translation>标为未读</translation>
        </message>
        <message>
            <source>Mark as read</source>
            <translation>标为已读</translation>
        </message>
        <message>
            <source>Move to trash</source>
            <translation>移至回收站</translation>
        </message>
        <message>
            <source>Add to collection</source>
            <translation>加入收藏集</translation>
        </message>
        <message>
            <source>New collection…</source>
            <translation>新建收藏集…</translation>
        </message>
        <message>
            <source>Take out of this collection</source>
            <translation>移出此收藏集</translation>
        </message>
        <message>
            <source>New collection</source>
            <translation>新建收藏集</translation>
        </message>
        <message>
            <source>Create</source>
            <translation>创建</translation>
        </message>
        <message>
            <source>Rename collection</source>
            <translation>重命名收藏集</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>重命名</translation>
        </message>
        <message>
            <source>Collection “%1” removed; its papers stay in the library.</source>
            <translation>收藏集“%1”已删除，其中的论文仍在文献库中。</translation>
        </message>
        <message>
            <source>Library</source>
            <translation>文献库</translation>
        </message>
        <message>
            <source>Add papers</source>
            <translation>添加论文</translation>
        </message>
        <message>
            <source>Add files…</source>
            <translation>添加文件…</translation>
        </message>
        <message>
            <source>Add a folder…</source>
            <translation>添加文件夹…</translation>
        </message>
        <message>
            <source>Show the import queue</source>
            <translation>显示导入队列</translation>
        </message>
        <message>
            <source>Order of the list</source>
            <translation>列表顺序</translation>
        </message>
        <message>
            <source>Your library is empty</source>
            <translation>文献库是空的</translation>
        </message>
        <message>
            <source>Drop PDFs or folders anywhere on this window.</source>
            <translation>将 PDF 或文件夹拖到窗口任意位置。</translation>
        </message>
        <message>
            <source>Add PDFs…</source>
            <translation>添加 PDF…</translation>
        </message>
        <message>
            <source>Try the welcome paper</source>
            <translation>试用欢迎论文</translation>
        </message>
        <message>
            <source>No paper matches</source>
            <translation>没有匹配的论文</translation>
        </message>
        <message>
            <source>Fewer words or filters find more.</source>
            <translation>减少关键词或筛选条件可找到更多。</translation>
        </message>
        <message>
            <source>Clear filters</source>
            <translation>清除筛选</translation>
        </message>
    </context>
    <context>
        <name>Loading</name>
        <message>
            <source>Opening…</source>
            <translation>正在打开…</translation>
        </message>
    </context>
    <context>
        <name>MainWindow</name>
        <message>
            <source>What does this mean: “%1”?</source>
            <translation>这句话是什么意思：“%1”？</translation>
        </message>
        <message>
            <source>No model · quotes only</source>
            <translation>无模型 · 仅引用原文</translation>
        </message>
        <message>
            <source>Answers are the best passages, word for word.</source>
            <translation>回答为最相关段落的原文。</translation>
        </message>
        <message>
            <source>%1 · tiny, for trying things out</source>
            <translation>%1 · 微型模型，仅供试用</translation>
        </message>
        <message>
            <source>A tiny model for trying things out. Choose a larger GGUF for real answers.</source>
            <translation>仅供试用的微型模型。要得到真正的回答，请选择更大的 GGUF 模型。</translation>
        </message>
        <message>
            <source>The model that writes the answers</source>
            <translation>撰写回答的模型</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
        <message>
            <source>The agent waits for your answer</source>
            <translation>智能体在等待您的回答</translation>
        </message>
    </context>
    <context>
        <name>MarkdownPages</name>
        <message>
            <source>Text of the paper</source>
            <translation>论文正文</translation>
        </message>
    </context>
    <context>
        <name>Meter</name>
        <message>
            <source>%1 % of context</source>
            <translation>上下文已用 %1 %</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>Context: %1 of %2 tokens</source>
            <translation>上下文：%1 / %2 个词元</translation>
        </message>
        <message>
            <source>%1: %2 tokens read (%3 of them from the cache), %4 written</source>
            <translation>%1：读入 %2 个词元（其中 %3 个来自缓存），写出 %4 个</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Cost of this conversation: %1</source>
            <translation>本次对话的费用：%1</translation>
        </message>
    </context>
    <context>
        <name>ModelMenu</name>
        <message>
            <source>%1 · does not fit into memory</source>
            <translation>%1 · 内存放不下</translation>
        </message>
        <message>
            <source>Models…</source>
            <translation>模型…</translation>
        </message>
        <message>
            <source>Service…</source>
            <translation>服务…</translation>
        </message>
        <message>
            <source>Add a GGUF file…</source>
            <translation>添加 GGUF 文件…</translation>
        </message>
        <message>
            <source>a program on this computer</source>
            <translation>本机上的程序</translation>
        </message>
        <message>
            <source>service</source>
            <translation>服务</translation>
        </message>
    </context>
    <context>
        <name>ModelWork</name>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>%1 is downloaded.</source>
            <translation>%1 已下载。</translation>
        </message>
        <message>
            <source>%1 is added to your models.</source>
            <translation>%1 已添加到您的模型。</translation>
        </message>
        <message>
            <source>Use it</source>
            <translation>使用</translation>
        </message>
        <message>
            <source>%1 is deleted; %2 takes its place.</source>
            <translation>%1 已删除；由 %2 接替。</translation>
        </message>
        <message>
            <source>Getting %1</source>
            <translation>正在获取 %1</translation>
        </message>
        <message>
            <source>Testing %1</source>
            <translation>正在测试 %1</translation>
        </message>
        <message>
            <source>%1 is tested for about a minute: what it can do decides how it is used.</source>
            <translation>正在测试 %1，约需一分钟：测试结果决定如何使用它。</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
    </context>
    <context>
        <name>Models</name>
        <message>
            <source>tiny</source>
            <translation>微型</translation>
        </message>
        <message>
            <source>small</source>
            <translation>小型</translation>
        </message>
        <message>
            <source>medium</source>
            <translation>中型</translation>
        </message>
        <message>
            <source>large</source>
            <translation>大型</translation>
        </message>
        <message>
            <source>Runs anywhere; to try things out, not to rely on.</source>
            <translation>任何电脑都能运行；仅供试用，不可依赖。</translation>
        </message>
        <message>
            <source>For a laptop with 8 GB of memory.</source>
            <translation>适合 8 GB 内存的笔记本。</translation>
        </message>
        <message>
            <source>For a computer with 16 GB of memory.</source>
            <translation>适合 16 GB 内存的电脑。</translation>
        </message>
        <message>
            <source>For 32 GB of memory and more, or a graphics card.</source>
            <translation>适合 32 GB 以上内存或有显卡的电脑。</translation>
        </message>
        <message>
            <source>for search</source>
            <translation>用于检索</translation>
        </message>
        <message>
            <source>for answers</source>
            <translation>用于回答</translation>
        </message>
        <message>
            <source>Needs %1 of memory</source>
            <translation>需要 %1 内存</translation>
        </message>
        <message>
            <source>Does not fit: needs %1 of memory, %2 are free</source>
            <translation>放不下：需要 %1 内存，可用 %2</translation>
        </message>
        <message>
            <source>Fits: needs %1 of memory, %2 are free</source>
            <translation>可运行：需要 %1 内存，可用 %2</translation>
        </message>
        <message>
            <source>Fits with %3 tokens of context: needs %1 of memory, %2 are free</source>
            <translation>以 %3 个词元的上下文可运行：需要 %1 内存，可用 %2</translation>
        </message>
        <message numerus="yes">
            <source>%n language(s)</source>
            <translation>
                <numerusform>%n 种语言</numerusform>
            </translation>
        </message>
        <message>
            <source>Connecting…</source>
            <translation>正在连接…</translation>
        </message>
        <message>
            <source>Waiting to try again</source>
            <translation>等待重试</translation>
        </message>
        <message>
            <source>Checking the file…</source>
            <translation>正在校验文件…</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>%1 a second</source>
            <translation>每秒 %1</translation>
        </message>
        <message>
            <source>%1 left</source>
            <translation>还需 %1</translation>
        </message>
        <message>
            <source>%1 s</source>
            <translation>%1 秒</translation>
        </message>
        <message>
            <source>%1 min</source>
            <translation>%1 分钟</translation>
        </message>
        <message>
            <source>%1 h</source>
            <translation>%1 小时</translation>
        </message>
        <message>
            <source>calls tools in its own syntax</source>
            <translation>以自有语法调用工具</translation>
        </message>
        <message>
            <source>The model was made for tools; a grammar keeps its calls valid.</source>
            <translation>该模型支持工具；语法约束保证调用有效。</translation>
        </message>
        <message>
            <source>calls tools in our syntax</source>
            <translation>以我们的语法调用工具</translation>
        </message>
        <message>
            <source>The model has no syntax for calls that it keeps to: ours is used, with a grammar.</source>
            <translation>该模型没有可靠的调用语法：使用我们的语法并加以约束。</translation>
        </message>
        <message>
            <source>calls one tool at a time</source>
            <translation>一次调用一个工具</translation>
        </message>
        <message>
            <source>Each call is asked for by itself: slower, but always valid.</source>
            <translation>逐次请求每个调用：较慢，但总是有效。</translation>
        </message>
        <message>
            <source>calls no tools</source>
            <translation>不调用工具</translation>
        </message>
        <message>
            <source>It answers from passages that are looked up for it.</source>
            <translation>它根据为其检索到的段落回答。</translation>
        </message>
        <message>
            <source>reads up to %1 tokens</source>
            <translation>最多读 %1 个词元</translation>
        </message>
        <message>
            <source>calls tools</source>
            <translation>可调用工具</translation>
        </message>
    </context>
    <context>
        <name>ModelsPage</name>
        <message>
            <source>Looking for models…</source>
            <translation>正在查找模型…</translation>
        </message>
        <message>
            <source>owner/repository/file.gguf, or the address of a GGUF file</source>
            <translation>owner/repository/file.gguf，或 GGUF 文件的网址</translation>
        </message>
        <message>
            <source>A model that is not in the list</source>
            <translation>列表之外的模型</translation>
        </message>
        <message>
            <source>Mirrors</source>
            <translation>镜像</translation>
        </message>
        <message>
            <source>https://… (empty: the hosts of the list)</source>
            <translation>https://…（留空：使用列表中的主机）</translation>
        </message>
        <message>
            <source>Offline: nothing is downloaded. Go online in the bar above to download models.</source>
            <translation>离线：不会下载任何内容。要下载模型，请在上方工具栏切换为联机。</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Download</source>
            <translation>下载</translation>
        </message>
        <message>
            <source>Add a GGUF file…</source>
            <translation>添加 GGUF 文件…</translation>
        </message>
        <message>
            <source>On this computer</source>
            <translation>在本机上</translation>
        </message>
        <message>
            <source>or drop one on the window</source>
            <translation>或将文件拖到窗口上</translation>
        </message>
        <message>
            <source>To download</source>
            <translation>可下载</translation>
        </message>
        <message>
            <source>open models that work well here</source>
            <translation>在此表现良好的开放模型</translation>
        </message>
        <message>
            <source>Another model</source>
            <translation>其他模型</translation>
        </message>
        <message>
            <source>Mirrors are asked in place of the hosts, in this order. Files are checked either way.</source>
            <translation>按此顺序以镜像代替主机。无论来自哪里，文件都会校验。</translation>
        </message>
        <message>
            <source>Add models</source>
            <translation>添加模型</translation>
        </message>
        <message>
            <source>Models (*.gguf)</source>
            <translation>模型 (*.gguf)</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>those that are not tiny, as their test says</source>
            <translation>非微型模型，依测试结果</translation>
        </message>
        <message>
            <source>all of them</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>none of them</source>
            <translation>都不</translation>
        </message>
        <message>
            <source>Which local models call tools</source>
            <translation>哪些本地模型调用工具</translation>
        </message>
        <message>
            <source>Keep on disk what a model has read, so that conversations open at once</source>
            <translation>将模型读过的内容保存在磁盘上，对话可立即打开</translation>
        </message>
        <message>
            <source>Call tools</source>
            <translation>调用工具</translation>
        </message>
    </context>
    <context>
        <name>NoteCard</name>
        <message>
            <source>Write a note…</source>
            <translation>写笔记…</translation>
        </message>
        <message>
            <source>Text of the note</source>
            <translation>笔记内容</translation>
        </message>
        <message>
            <source>Add a note…</source>
            <translation>添加笔记…</translation>
        </message>
        <message>
            <source>Delete the note (Del)</source>
            <translation>删除笔记 (Del)</translation>
        </message>
    </context>
    <context>
        <name>NoteDesk</name>
        <message>
            <source>The note was deleted.</source>
            <translation>笔记已删除。</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
    </context>
    <context>
        <name>Notes</name>
        <message>
            <source>Yellow</source>
            <translation>黄色</translation>
        </message>
        <message>
            <source>Green</source>
            <translation>绿色</translation>
        </message>
        <message>
            <source>Blue</source>
            <translation>蓝色</translation>
        </message>
        <message>
            <source>Pink</source>
            <translation>粉色</translation>
        </message>
        <message>
            <source>Orange</source>
            <translation>橙色</translation>
        </message>
        <message>
            <source>Purple</source>
            <translation>紫色</translation>
        </message>
        <message>
            <source>Red</source>
            <translation>红色</translation>
        </message>
        <message>
            <source>Gray</source>
            <translation>灰色</translation>
        </message>
        <message>
            <source>p. {label}</source>
            <translation>第 {label} 页</translation>
        </message>
        <message>
            <source>today</source>
            <translation>今天</translation>
        </message>
        <message>
            <source>yesterday</source>
            <translation>昨天</translation>
        </message>
    </context>
    <context>
        <name>NotesPanel</name>
        <message>
            <source>Notes</source>
            <translation>笔记</translation>
        </message>
        <message>
            <source>No notes yet. Select words in the paper and choose a colour.</source>
            <translation>还没有笔记。在论文中选中文字并选择一种颜色。</translation>
        </message>
    </context>
    <context>
        <name>OfferCard</name>
        <message>
            <source>recommended</source>
            <translation>推荐</translation>
        </message>
        <message>
            <source>Go on from %1</source>
            <translation>从 %1 继续</translation>
        </message>
        <message>
            <source>Download %1</source>
            <translation>下载 %1</translation>
        </message>
        <message>
            <source>Delete what has come</source>
            <translation>删除已下载的部分</translation>
        </message>
        <message>
            <source>Stop the download; what has come is kept</source>
            <translation>停止下载；已下载的部分会保留</translation>
        </message>
    </context>
    <context>
        <name>OutlinePanel</name>
        <message>
            <source>Outline</source>
            <translation>目录</translation>
        </message>
        <message>
            <source>This paper has no outline.</source>
            <translation>这篇论文没有目录。</translation>
        </message>
        <message>
            <source>{title}, page {page}</source>
            <translation>{title}，第 {page} 页</translation>
        </message>
    </context>
    <context>
        <name>Output</name>
        <message numerus="yes">
            <source>… %n character(s) left out …</source>
            <translation>
                <numerusform>… 省略了 %n 个字符 …</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PageProblem</name>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>This page is too heavy to draw</source>
            <translation>此页过于复杂，无法绘制</translation>
        </message>
        <message>
            <source>Drawing it was stopped so that the rest of the paper stays quick. Its text can still be searched.</source>
            <translation>为保持其余页面流畅，已停止绘制此页。其文字仍可搜索。</translation>
        </message>
        <message>
            <source>This page cannot be drawn</source>
            <translation>无法绘制此页</translation>
        </message>
        <message>
            <source>It makes the drawing program fail, which was restarted. The other pages are not affected.</source>
            <translation>此页使绘图程序出错，程序已重新启动。其他页面不受影响。</translation>
        </message>
    </context>
    <context>
        <name>PaperDelegate</name>
        <message>
            <source>indexing…</source>
            <translation>正在索引…</translation>
        </message>
        <message>
            <source>locked</source>
            <translation>已加密</translation>
        </message>
        <message>
            <source>needs OCR</source>
            <translation>需要 OCR</translation>
        </message>
        <message>
            <source>unreadable</source>
            <translation>无法读取</translation>
        </message>
        <message>
            <source>no PDF</source>
            <translation>无 PDF</translation>
        </message>
        <message>
            <source>PDF</source>
            <translation>PDF</translation>
        </message>
        <message>
            <source>text</source>
            <translation>文本</translation>
        </message>
        <message numerus="yes">
            <source>%n note(s)</source>
            <translation>
                <numerusform>%n 条笔记</numerusform>
            </translation>
        </message>
        <message>
            <source>Untitled</source>
            <translation>无标题</translation>
        </message>
    </context>
    <context>
        <name>PaperList</name>
        <message>
            <source>Papers</source>
            <translation>论文</translation>
        </message>
    </context>
    <context>
        <name>PaperTab</name>
        <message>
            <source>This paper could not be opened.</source>
            <translation>无法打开这篇论文。</translation>
        </message>
    </context>
    <context>
        <name>Passport</name>
        <message>
            <source>A page of a paper is read in %1 s</source>
            <translation>读一页论文需 %1 秒</translation>
        </message>
        <message>
            <source>It writes about %1 words a second</source>
            <translation>每秒约写 %1 个词</translation>
        </message>
        <message>
            <source>Tool calls, %1: %2 of %3 well formed</source>
            <translation>工具调用（%1）：%3 次中 %2 次格式正确</translation>
        </message>
        <message>
            <source>A Chinese character is %1 tokens</source>
            <translation>每个汉字为 %1 个词元</translation>
        </message>
        <message>
            <source>it was not made for Chinese</source>
            <translation>该模型不是为中文制作的</translation>
        </message>
        <message>
            <source>%1 % of a conversation need not be read again when it goes on</source>
            <translation>对话继续时，%1 % 的内容无需重读</translation>
        </message>
        <message>
            <source>long ones become slow</source>
            <translation>长对话会变慢</translation>
        </message>
        <message>
            <source>It found a detail again in a text of %1 tokens</source>
            <translation>能在 %1 个词元的文字中找回细节</translation>
        </message>
        <message>
            <source>It did not find a detail again: not for long texts</source>
            <translation>未能找回细节：不适合长文</translation>
        </message>
        <message>
            <source>%1 tokens are read in a bearable time; more would fit into memory</source>
            <translation>%1 个词元可在可接受的时间内读完；内存还可容纳更多</translation>
        </message>
        <message>
            <source>The computer was busy: test again when it is idle</source>
            <translation>测试时电脑繁忙：请在空闲时重新测试</translation>
        </message>
        <message numerus="yes">
            <source>There was no time for %n test(s)</source>
            <translation>
                <numerusform>有 %n 项测试未来得及进行</numerusform>
            </translation>
        </message>
        <message>
            <source>own syntax</source>
            <translation>自有语法</translation>
        </message>
        <message>
            <source>our syntax</source>
            <translation>我们的语法</translation>
        </message>
        <message>
            <source>one at a time</source>
            <translation>一次一个</translation>
        </message>
        <message>
            <source>Loading the model…</source>
            <translation>正在载入模型…</translation>
        </message>
        <message>
            <source>Measuring speed…</source>
            <translation>正在测量速度…</translation>
        </message>
        <message>
            <source>Looking for a detail in a long text…</source>
            <translation>正在长文中查找细节…</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>Trying tool calls…</source>
            <translation>正在尝试工具调用…</translation>
        </message>
        <message>
            <source>%1 tokens a second</source>
            <translation>每秒 %1 个词元</translation>
        </message>
        <message>
            <source>all tools</source>
            <translation>全部工具</translation>
        </message>
        <message numerus="yes">
            <source>%n tool(s) at most</source>
            <translation>
                <numerusform>最多 %n 个工具</numerusform>
            </translation>
        </message>
        <message>
            <source>So small a model is given tools only where the settings say so</source>
            <translation>如此小的模型仅在设置要求时才提供工具</translation>
        </message>
    </context>
    <context>
        <name>PassportView</name>
        <message>
            <source>%1 of %2 valid, %3 right</source>
            <translation>%2 次中 %1 次有效，%3 次正确</translation>
        </message>
        <message>
            <source>%1 tokens a second</source>
            <translation>每秒 %1 个词元</translation>
        </message>
        <message>
            <source>%1 English, %2 Chinese</source>
            <translation>英文 %1，中文 %2</translation>
        </message>
        <message>
            <source>not told</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>%1 for the first word, %2 between words</source>
            <translation>首词 %1，词间 %2</translation>
        </message>
        <message>
            <source>Tools</source>
            <translation>工具</translation>
        </message>
        <message>
            <source>Calls</source>
            <translation>调用</translation>
        </message>
        <message>
            <source>none tried</source>
            <translation>未尝试</translation>
        </message>
        <message>
            <source>Shown</source>
            <translation>提供</translation>
        </message>
        <message>
            <source>no tools</source>
            <translation>无工具</translation>
        </message>
        <message>
            <source>A small model is shown few tools, the most important ones first.</source>
            <translation>小模型只提供少量工具，最重要的优先。</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>上下文</translation>
        </message>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>As long as fits into memory and is read in a bearable time.</source>
            <translation>以内存能容纳且能在可接受的时间内读完为限。</translation>
        </message>
        <message>
            <source>Reads</source>
            <translation>阅读</translation>
        </message>
        <message>
            <source>Writes</source>
            <translation>书写</translation>
        </message>
        <message>
            <source>Tokens a character</source>
            <translation>每字符词元</translation>
        </message>
        <message>
            <source>Fewer means that more text fits.</source>
            <translation>越少则能容纳越多文字。</translation>
        </message>
        <message>
            <source>Kept of a prompt</source>
            <translation>提示复用</translation>
        </message>
        <message>
            <source>How much of a conversation need not be read again at the next step.</source>
            <translation>对话中下一步无需重读的比例。</translation>
        </message>
        <message>
            <source>Waits</source>
            <translation>等待上限</translation>
        </message>
        <message>
            <source>Longer than that, and it counts as hung.</source>
            <translation>超过则视为卡死。</translation>
        </message>
        <message>
            <source>good</source>
            <translation>良好</translation>
        </message>
        <message>
            <source>weak</source>
            <translation>较弱</translation>
        </message>
        <message>
            <source>Tested %1 in %2 on %3</source>
            <translation>测试于 %1，用时 %2，机器：%3</translation>
        </message>
    </context>
    <context>
        <name>PasswordForm</name>
        <message>
            <source>This paper is locked</source>
            <translation>这篇论文已加密</translation>
        </message>
        <message>
            <source>Password</source>
            <translation>密码</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>That password does not fit. Try another one.</source>
            <translation>密码不正确，请换一个再试。</translation>
        </message>
        <message>
            <source>Its author protected it. Enter the password to read it.</source>
            <translation>作者设置了保护。请输入密码阅读。</translation>
        </message>
    </context>
    <context>
        <name>PdfView</name>
        <message>
            <source>Pages</source>
            <translation>页面</translation>
        </message>
    </context>
    <context>
        <name>PermissionCard</name>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>Allow once</source>
            <translation>允许一次</translation>
        </message>
        <message>
            <source>Always</source>
            <translation>始终允许</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>拒绝</translation>
        </message>
        <message>
            <source>For this conversation</source>
            <translation>本对话内允许</translation>
        </message>
        <message>
            <source>Key %1</source>
            <translation>按键 %1</translation>
        </message>
        <message>
            <source>asked by %1</source>
            <translation>由 %1 请求</translation>
        </message>
        <message>
            <source>“Always” allows: %1</source>
            <translation>“始终允许”将放行：%1</translation>
        </message>
        <message>
            <source>Copy all of it</source>
            <translation>复制全文</translation>
        </message>
        <message>
            <source>Agree for this library</source>
            <translation>同意（对此文献库）</translation>
        </message>
        <message>
            <source>Do not send it</source>
            <translation>不发送</translation>
        </message>
    </context>
    <context>
        <name>PlanPanel</name>
        <message>
            <source>Plan %1 / %2</source>
            <translation>计划 %1 / %2</translation>
        </message>
        <message>
            <source>done</source>
            <translation>已完成</translation>
        </message>
        <message>
            <source>in progress</source>
            <translation>进行中</translation>
        </message>
        <message>
            <source>to do</source>
            <translation>待办</translation>
        </message>
        <message>
            <source>waits for: %1</source>
            <translation>等待：%1</translation>
        </message>
    </context>
    <context>
        <name>Problem</name>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>Your notes on this paper are kept.</source>
            <translation>您在这篇论文上的笔记会保留。</translation>
        </message>
    </context>
    <context>
        <name>ProgressLine</name>
        <message>
            <source>The service asks to wait.</source>
            <translation>服务要求等待。</translation>
        </message>
        <message>
            <source>again in %1 s</source>
            <translation>%1 秒后重试</translation>
        </message>
        <message>
            <source>Loading the model</source>
            <translation>正在载入模型</translation>
        </message>
        <message>
            <source>The model writes</source>
            <translation>模型正在书写</translation>
        </message>
        <message>
            <source>The model reads</source>
            <translation>模型正在阅读</translation>
        </message>
    </context>
    <context>
        <name>QuestionCard</name>
        <message>
            <source>Answer</source>
            <translation>回答</translation>
        </message>
        <message>
            <source>Answer to the agent’s question</source>
            <translation>对智能体问题的回答</translation>
        </message>
        <message>
            <source>Answered late, as a message.</source>
            <translation>迟到的回答，已作为消息发送。</translation>
        </message>
        <message>
            <source>Asked by %1</source>
            <translation>由 %1 提问</translation>
        </message>
        <message>
            <source>Or in your own words…</source>
            <translation>或用您自己的话…</translation>
        </message>
        <message>
            <source>There was no answer in time, and the agent went on without one. You can still answer: it is sent as a message.</source>
            <translation>未及时得到回答，智能体已继续。您仍可回答：会作为消息发送。</translation>
        </message>
        <message>
            <source>Withdrawn: the turn was stopped.</source>
            <translation>已撤回：本轮已停止。</translation>
        </message>
        <message>
            <source>Your answer…</source>
            <translation>您的回答…</translation>
        </message>
    </context>
    <context>
        <name>QueuePanel</name>
        <message>
            <source>Import queue</source>
            <translation>导入队列</translation>
        </message>
        <message>
            <source>Cancel the rest</source>
            <translation>取消其余</translation>
        </message>
        <message>
            <source>Clear finished</source>
            <translation>清除已完成</translation>
        </message>
        <message>
            <source>Nothing is being imported. Drop PDFs or folders on the window.</source>
            <translation>没有正在导入的文件。将 PDF 或文件夹拖到窗口上。</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message numerus="yes">
            <source>and %n more file(s)</source>
            <translation>
                <numerusform>另有 %n 个文件</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>ReaderPane</name>
        <message>
            <source>Page {number} of {total}, printed as “{label}” (Ctrl+G)</source>
            <translation>第 {number} 页，共 {total} 页，印刷页码“{label}” (Ctrl+G)</translation>
        </message>
        <message>
            <source>Choose a PDF…</source>
            <translation>选择 PDF…</translation>
        </message>
        <message>
            <source>Open a paper from the library or drop a PDF here</source>
            <translation>从文献库打开论文，或将 PDF 拖到这里</translation>
        </message>
        <message>
            <source>Highlights, notes and the place you stopped at are kept for every paper.</source>
            <translation>每篇论文的高亮、笔记和阅读位置都会保留。</translation>
        </message>
    </context>
    <context>
        <name>ReaderToolbar</name>
        <message>
            <source>Outline (F9)</source>
            <translation>目录 (F9)</translation>
        </message>
        <message>
            <source>Back (Alt+Left)</source>
            <translation>后退 (Alt+Left)</translation>
        </message>
        <message>
            <source>Forward (Alt+Right)</source>
            <translation>前进 (Alt+Right)</translation>
        </message>
        <message>
            <source>Highlight while selecting (P)</source>
            <translation>选择时高亮 (P)</translation>
        </message>
        <message>
            <source>Find in this paper (Ctrl+F)</source>
            <translation>在本文中查找 (Ctrl+F)</translation>
        </message>
        <message>
            <source>Dark pages (D)</source>
            <translation>深色页面 (D)</translation>
        </message>
        <message>
            <source>Notes (F10)</source>
            <translation>笔记 (F10)</translation>
        </message>
        <message>
            <source>More colours</source>
            <translation>更多颜色</translation>
        </message>
        <message>
            <source>Smaller (Ctrl+-)</source>
            <translation>缩小 (Ctrl+-)</translation>
        </message>
        <message>
            <source>Larger (Ctrl++)</source>
            <translation>放大 (Ctrl++)</translation>
        </message>
        <message>
            <source>More colours; {colour} is in use</source>
            <translation>更多颜色；当前为{colour}</translation>
        </message>
        <message>
            <source>Page</source>
            <translation>页码</translation>
        </message>
        <message>
            <source>Zoom</source>
            <translation>缩放</translation>
        </message>
        <message>
            <source>Zoom: fit to width (Ctrl+0), whole page (Ctrl+9), size on paper (Ctrl+1)</source>
            <translation>缩放：适合宽度 (Ctrl+0)、整页 (Ctrl+9)、实际大小 (Ctrl+1)</translation>
        </message>
        <message>
            <source>{colour} (H highlights the selection)</source>
            <translation>{colour}（按 H 高亮所选内容）</translation>
        </message>
        <message>
            <source>Fit to width</source>
            <translation>适合宽度</translation>
        </message>
        <message>
            <source>Whole page</source>
            <translation>整页</translation>
        </message>
    </context>
    <context>
        <name>ReindexLine</name>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>继续</translation>
        </message>
        <message>
            <source>Agree for this library</source>
            <translation>同意（对此文献库）</translation>
        </message>
    </context>
    <context>
        <name>Reindexing</name>
        <message>
            <source>Indexing your library for %1: %2 passages</source>
            <translation>正在为 %1 建立索引：%2 个段落</translation>
        </message>
        <message>
            <source>%1 left</source>
            <translation>还需 %1</translation>
        </message>
        <message>
            <source>Indexing waits: %1</source>
            <translation>索引等待中：%1</translation>
        </message>
        <message>
            <source>Indexing for %1 was stopped at %2; search uses the model before it.</source>
            <translation>为 %1 建立索引已停在 %2；检索仍使用之前的模型。</translation>
        </message>
        <message>
            <source>Indexing for %1 stopped: %2</source>
            <translation>为 %1 建立索引已中止：%2</translation>
        </message>
        <message>
            <source>Indexing for meaning %1 %</source>
            <translation>语义索引 %1 %</translation>
        </message>
    </context>
    <context>
        <name>Reporter</name>
        <message>
            <source>Something went wrong inside AstroResearch.</source>
            <translation>AstroResearch 内部出现问题。</translation>
        </message>
        <message>
            <source>Your library is safe. The details can be copied for a report.</source>
            <translation>文献库安然无恙。可以复制详细信息用于报告。</translation>
        </message>
    </context>
    <context>
        <name>RuleList</name>
        <message>
            <source>No rules yet: the agent asks before it writes files or runs programs.</source>
            <translation>尚无规则：智能体在写入文件或运行程序前都会询问。</translation>
        </message>
        <message>
            <source>allows</source>
            <translation>允许</translation>
        </message>
        <message>
            <source>asks</source>
            <translation>询问</translation>
        </message>
        <message>
            <source>denies</source>
            <translation>拒绝</translation>
        </message>
        <message>
            <source>all calls</source>
            <translation>所有调用</translation>
        </message>
        <message>
            <source>Take this rule away</source>
            <translation>移除此规则</translation>
        </message>
    </context>
    <context>
        <name>SearchField</name>
        <message>
            <source>Search papers: words, author:riess, year:2016.., has:notes</source>
            <translation>搜索论文：关键词、author:riess、year:2016..、has:notes</translation>
        </message>
        <message>
            <source>Search papers</source>
            <translation>搜索论文</translation>
        </message>
        <message>
            <source>Clear</source>
            <translation>清除</translation>
        </message>
    </context>
    <context>
        <name>SelectionBar</name>
        <message>
            <source>Highlight and write a note (N)</source>
            <translation>高亮并写笔记 (N)</translation>
        </message>
        <message>
            <source>Copy (Ctrl+C)</source>
            <translation>复制 (Ctrl+C)</translation>
        </message>
        <message>
            <source>Ask about this (A)</source>
            <translation>就此提问 (A)</translation>
        </message>
    </context>
    <context>
        <name>ServicePage</name>
        <message>
            <source>In use: a model on this computer. Nothing is sent.</source>
            <translation>使用中：本机上的模型。不发送任何内容。</translation>
        </message>
        <message>
            <source>Offline: the local model stands in for %1.</source>
            <translation>离线：由本地模型代替 %1。</translation>
        </message>
        <message>
            <source>In use: %1</source>
            <translation>使用中：%1</translation>
        </message>
        <message>
            <source>Asking %1…</source>
            <translation>正在询问 %1…</translation>
        </message>
        <message>
            <source>Choose a model first: press “Check” for those there are.</source>
            <translation>请先选择模型：按“检查”列出可用模型。</translation>
        </message>
        <message>
            <source>A key is kept; type another one to replace it</source>
            <translation>已保存密钥；输入新的即可替换</translation>
        </message>
        <message>
            <source>From the pages of the service; kept in the system’s keyring</source>
            <translation>来自服务网站；保存在系统钥匙串中</translation>
        </message>
        <message>
            <source>Not needed as a rule</source>
            <translation>通常不需要</translation>
        </message>
        <message>
            <source>Choose a certificate file</source>
            <translation>选择证书文件</translation>
        </message>
        <message>
            <source>Certificates (*.pem *.crt *.cer)</source>
            <translation>证书 (*.pem *.crt *.cer)</translation>
        </message>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>Service</source>
            <translation>服务</translation>
        </message>
        <message>
            <source>Forget</source>
            <translation>忘记</translation>
        </message>
        <message>
            <source>Check</source>
            <translation>检查</translation>
        </message>
        <message>
            <source>Name of the model; “Check” lists those there are</source>
            <translation>模型名称；按“检查”列出可用模型</translation>
        </message>
        <message>
            <source>Let it think first: slower, better at hard questions</source>
            <translation>先思考再回答：较慢，更擅长难题</translation>
        </message>
        <message>
            <source>http://… (empty: as the system says; “none”: without)</source>
            <translation>http://…（留空：跟随系统；“none”：不用代理）</translation>
        </message>
        <message>
            <source>Certificates trusted besides the system’s</source>
            <translation>除系统证书外还信任的证书</translation>
        </message>
        <message>
            <source>Use the local model</source>
            <translation>使用本地模型</translation>
        </message>
        <message>
            <source>Use this service</source>
            <translation>使用此服务</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>密钥</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Thinking</source>
            <translation>思考</translation>
        </message>
        <message>
            <source>Proxy</source>
            <translation>代理</translation>
        </message>
        <message>
            <source>Certificates</source>
            <translation>证书</translation>
        </message>
        <message>
            <source>Choose…</source>
            <translation>选择…</translation>
        </message>
        <message>
            <source>The key works, but the service does not list %1. Choose one that it lists.</source>
            <translation>密钥有效，但服务没有列出 %1。请从列表中选择。</translation>
        </message>
        <message numerus="yes">
            <source>The key works; %n model(s).</source>
            <translation>
                <numerusform>密钥有效；%n 个模型。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>SessionDeeds</name>
        <message>
            <source>All files (*)</source>
            <translation>所有文件 (*)</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Delete this conversation?</source>
            <translation>删除此对话？</translation>
        </message>
        <message>
            <source>Export conversation</source>
            <translation>导出对话</translation>
        </message>
        <message>
            <source>Markdown (*.md)</source>
            <translation>Markdown (*.md)</translation>
        </message>
        <message>
            <source>Project folder for this conversation</source>
            <translation>此对话的项目文件夹</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>重命名</translation>
        </message>
        <message>
            <source>Rename conversation</source>
            <translation>重命名对话</translation>
        </message>
        <message>
            <source>Untitled</source>
            <translation>无标题</translation>
        </message>
        <message>
            <source>“%1” will be gone for good. Papers, notes and files stay.</source>
            <translation>“%1”将被永久删除。论文、笔记和文件会保留。</translation>
        </message>
    </context>
    <context>
        <name>SessionsPage</name>
        <message>
            <source>Back to the conversation</source>
            <translation>返回对话</translation>
        </message>
        <message>
            <source>Conversations</source>
            <translation>对话</translation>
        </message>
        <message>
            <source>Delete…</source>
            <translation>删除…</translation>
        </message>
        <message>
            <source>Export as Markdown…</source>
            <translation>导出为 Markdown…</translation>
        </message>
        <message>
            <source>No conversation has these words.</source>
            <translation>没有包含这些词的对话。</translation>
        </message>
        <message>
            <source>No earlier conversations</source>
            <translation>没有以前的对话</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Rename…</source>
            <translation>重命名…</translation>
        </message>
        <message>
            <source>Search conversations</source>
            <translation>搜索对话</translation>
        </message>
    </context>
    <context>
        <name>SettingsDialog</name>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>General</source>
            <translation>通用</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Service</source>
            <translation>服务</translation>
        </message>
        <message>
            <source>Changes apply at once; they are kept in settings.toml.</source>
            <translation>更改立即生效，并保存在 settings.toml 中。</translation>
        </message>
    </context>
    <context>
        <name>ShelfList</name>
        <message>
            <source>Shelves</source>
            <translation>书架</translation>
        </message>
        <message>
            <source>New collection…</source>
            <translation>新建收藏集…</translation>
        </message>
        <message>
            <source>Rename…</source>
            <translation>重命名…</translation>
        </message>
        <message>
            <source>Remove collection</source>
            <translation>删除收藏集</translation>
        </message>
    </context>
    <context>
        <name>Start</name>
        <message>
            <source>AstroResearch ended unexpectedly last time.</source>
            <translation>AstroResearch 上次意外退出。</translation>
        </message>
        <message>
            <source>Your library is safe. The details can be copied for a report.</source>
            <translation>文献库安然无恙。可以复制详细信息用于报告。</translation>
        </message>
    </context>
    <context>
        <name>StatusBar</name>
        <message>
            <source>Cancel the rest of the import</source>
            <translation>取消其余导入</translation>
        </message>
        <message>
            <source>Importing %1 of %2</source>
            <translation>正在导入第 %1 个，共 %2 个</translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) not imported</source>
            <translation>
                <numerusform>%n 个文件未导入</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) need a password</source>
            <translation>
                <numerusform>%n 个文件需要密码</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) imported</source>
            <translation>
                <numerusform>已导入 %n 个文件</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n unread error(s)</source>
            <translation>
                <numerusform>%n 个未读错误</numerusform>
            </translation>
        </message>
        <message>
            <source>No unread errors</source>
            <translation>没有未读错误</translation>
        </message>
        <message>
            <source>%1 tok/s</source>
            <translation>%1 词元/秒</translation>
        </message>
    </context>
    <context>
        <name>StoredCard</name>
        <message>
            <source>in use</source>
            <translation>使用中</translation>
        </message>
        <message>
            <source>built in</source>
            <translation>内置</translation>
        </message>
        <message>
            <source>a file of yours</source>
            <translation>您的文件</translation>
        </message>
        <message>
            <source>Use</source>
            <translation>使用</translation>
        </message>
        <message>
            <source>Delete %1</source>
            <translation>删除 %1</translation>
        </message>
        <message>
            <source>Stop the test</source>
            <translation>停止测试</translation>
        </message>
        <message>
            <source>Not tested yet: what it can do here is not known.</source>
            <translation>尚未测试：不知道它在本机能做什么。</translation>
        </message>
        <message>
            <source>Test it (about a minute)</source>
            <translation>测试（约一分钟）</translation>
        </message>
        <message>
            <source>Test again</source>
            <translation>重新测试</translation>
        </message>
        <message>
            <source>Passport</source>
            <translation>护照</translation>
        </message>
        <message>
            <source>Hide the passport</source>
            <translation>收起护照</translation>
        </message>
        <message>
            <source>%1 is deleted from the disk; it can be downloaded again where it came from.</source>
            <translation>将从磁盘删除 %1；可以从原处再次下载。</translation>
        </message>
        <message>
            <source>Delete %1?</source>
            <translation>删除 %1？</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
    </context>
    <context>
        <name>TabStrip</name>
        <message>
            <source>Open papers</source>
            <translation>已打开的论文</translation>
        </message>
        <message>
            <source>Close (Ctrl+W)</source>
            <translation>关闭 (Ctrl+W)</translation>
        </message>
    </context>
    <context>
        <name>Timeline</name>
        <message>
            <source>%1 → %2 tokens</source>
            <translation>%1 → %2 词元</translation>
        </message>
        <message numerus="yes">
            <source>%n old result(s) set aside</source>
            <translation>
                <numerusform>已收起 %n 个较早的结果</numerusform>
            </translation>
        </message>
        <message>
            <source>(from outside, read as data)</source>
            <translation>（来自外部，仅作数据读取）</translation>
        </message>
        <message>
            <source>A call beside it failed: part of it may have been done.</source>
            <translation>与它并行的调用失败：它可能已完成一部分。</translation>
        </message>
        <message>
            <source>Allowed by --yes</source>
            <translation>由 --yes 允许</translation>
        </message>
        <message>
            <source>Allowed for this conversation</source>
            <translation>已在本对话内允许</translation>
        </message>
        <message>
            <source>Allowed once</source>
            <translation>已允许一次</translation>
        </message>
        <message>
            <source>Always allowed from now on</source>
            <translation>今后始终允许</translation>
        </message>
        <message>
            <source>Denied</source>
            <translation>已拒绝</translation>
        </message>
        <message>
            <source>Denied: nobody could be asked</source>
            <translation>已拒绝：无人可询问</translation>
        </message>
        <message>
            <source>Earlier conversation summarised</source>
            <translation>较早的对话已概括</translation>
        </message>
        <message>
            <source>Ended because the same calls came again and again without anything new.</source>
            <translation>已结束：相同的调用反复出现而没有新结果。</translation>
        </message>
        <message>
            <source>It took too long: part of it may have been done.</source>
            <translation>耗时过长：可能已完成一部分。</translation>
        </message>
        <message>
            <source>It was not allowed: nothing was done.</source>
            <translation>未获允许：什么也没有做。</translation>
        </message>
        <message>
            <source>Put before the model: %1</source>
            <translation>提供给模型：%1</translation>
        </message>
        <message>
            <source>Stopped before it ran: nothing was done.</source>
            <translation>运行前已停止：什么也没有做。</translation>
        </message>
        <message>
            <source>Stopped while it ran: part of it may have been done.</source>
            <translation>运行中被停止：可能已完成一部分。</translation>
        </message>
        <message>
            <source>Stopped.</source>
            <translation>已停止。</translation>
        </message>
        <message>
            <source>The call itself was wrong: nothing was done.</source>
            <translation>调用本身有误：什么也没有做。</translation>
        </message>
        <message>
            <source>The conversation no longer fits the model. Begin a new one, or fork it.</source>
            <translation>对话已超出模型的容量。请新建对话，或从某处分支。</translation>
        </message>
        <message>
            <source>The limit of steps for one turn was reached. Write “go on” to continue.</source>
            <translation>已达到单轮步数上限。输入“继续”即可接着进行。</translation>
        </message>
        <message>
            <source>The program ended while it ran: part of it may have been done.</source>
            <translation>运行时程序退出：可能已完成一部分。</translation>
        </message>
        <message>
            <source>The turn ended with an error.</source>
            <translation>本轮因错误结束。</translation>
        </message>
        <message>
            <source>Thinking…</source>
            <translation>思考中…</translation>
        </message>
        <message>
            <source>Thought</source>
            <translation>思考</translation>
        </message>
        <message>
            <source>Thought for %1 s</source>
            <translation>思考了 %1 秒</translation>
        </message>
        <message>
            <source>Withdrawn before it was answered</source>
            <translation>回答前已撤回</translation>
        </message>
        <message>
            <source>background task</source>
            <translation>后台任务</translation>
        </message>
        <message>
            <source>date</source>
            <translation>日期</translation>
        </message>
        <message>
            <source>denied</source>
            <translation>被拒绝</translation>
        </message>
        <message>
            <source>done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>ended with its neighbour</source>
            <translation>随并行调用终止</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>files read last</source>
            <translation>最近读取的文件</translation>
        </message>
        <message>
            <source>hook</source>
            <translation>钩子</translation>
        </message>
        <message>
            <source>instructions</source>
            <translation>指令</translation>
        </message>
        <message>
            <source>interrupted</source>
            <translation>已中断</translation>
        </message>
        <message>
            <source>lost in a crash</source>
            <translation>因崩溃丢失</translation>
        </message>
        <message>
            <source>memories</source>
            <translation>记忆</translation>
        </message>
        <message>
            <source>not started</source>
            <translation>未开始</translation>
        </message>
        <message>
            <source>papers</source>
            <translation>论文</translation>
        </message>
        <message>
            <source>plan</source>
            <translation>计划</translation>
        </message>
        <message>
            <source>rejected</source>
            <translation>被驳回</translation>
        </message>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>skill</source>
            <translation>技能</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>teammates’ mail</source>
            <translation>队友的来信</translation>
        </message>
        <message>
            <source>timed out</source>
            <translation>超时</translation>
        </message>
        <message>
            <source>waits for you</source>
            <translation>等待您</translation>
        </message>
        <message>
            <source>Run this command?</source>
            <translation>运行此命令吗？</translation>
        </message>
        <message>
            <source>Change this file?</source>
            <translation>修改此文件吗？</translation>
        </message>
        <message>
            <source>Use this path?</source>
            <translation>使用此路径吗？</translation>
        </message>
        <message>
            <source>Allow %1?</source>
            <translation>允许 %1 吗？</translation>
        </message>
        <message>
            <source>It writes a file.</source>
            <translation>它会写入文件。</translation>
        </message>
        <message>
            <source>It runs a program.</source>
            <translation>它会运行程序。</translation>
        </message>
        <message>
            <source>It belongs to an outside server.</source>
            <translation>它属于外部服务器。</translation>
        </message>
        <message>
            <source>Text of papers or pages has been read in this conversation, so this is asked every time.</source>
            <translation>本对话已读取论文或网页的文字，因此每次都会询问。</translation>
        </message>
        <message>
            <source>Send private text to %1?</source>
            <translation>将私有文字发送到 %1？</translation>
        </message>
        <message>
            <source>Notes, files of a project or unpublished papers would be sent to the language model there. Agreeing counts for this library from now on; you can take it back in the settings.</source>
            <translation>笔记、项目文件或未发表的论文将被发送给那里的语言模型。同意自此对本文献库有效，可在设置中撤回。</translation>
        </message>
        <message>
            <source>Agreed for this library</source>
            <translation>已同意（对此文献库）</translation>
        </message>
    </context>
    <context>
        <name>TimelinePane</name>
        <message>
            <source>Ask your papers</source>
            <translation>向论文提问</translation>
        </message>
        <message>
            <source>Answers come from your library. Each sentence cites the page that proves it.</source>
            <translation>回答来自您的文献库，每句话都注明可证实它的页码。</translation>
        </message>
        <message>
            <source>Which values of H₀ do my papers give?</source>
            <translation>我的论文给出了哪些 H₀ 数值？</translation>
        </message>
        <message>
            <source>What are the main systematic errors?</source>
            <translation>主要的系统误差有哪些？</translation>
        </message>
        <message>
            <source>Which data sets are used, and for what?</source>
            <translation>使用了哪些数据集？用途是什么？</translation>
        </message>
    </context>
    <context>
        <name>ToolCard</name>
        <message>
            <source>%1 s</source>
            <translation>%1 秒</translation>
        </message>
        <message numerus="yes">
            <source>%n step(s)</source>
            <translation>
                <numerusform>%n 步</numerusform>
            </translation>
        </message>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
    </context>
    <context>
        <name>TopBar</name>
        <message>
            <source>Offline</source>
            <translation>离线</translation>
        </message>
        <message>
            <source>Show or hide the library</source>
            <translation>显示或隐藏文献库</translation>
        </message>
        <message>
            <source>Show or hide the conversation</source>
            <translation>显示或隐藏对话</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>Online</source>
            <translation>联网</translation>
        </message>
        <message>
            <source>Offline: nothing leaves this computer. Press to allow the network.</source>
            <translation>离线：任何数据都不会离开这台电脑。点按以允许联网。</translation>
        </message>
        <message>
            <source>The network may be used where a task needs it. Press to go offline.</source>
            <translation>任务需要时可以使用网络。点按以离线。</translation>
        </message>
    </context>
    <context>
        <name>Turns</name>
        <message>
            <source>About your question “%1”: %2</source>
            <translation>关于你的问题“%1”：%2</translation>
        </message>
    </context>
    <context>
        <name>UserBubble</name>
        <message>
            <source>Ask differently in a new conversation</source>
            <translation>在新对话中换个问法</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>not read any more</source>
            <translation>未被读取</translation>
        </message>
        <message>
            <source>read at the next step</source>
            <translation>下一步读取</translation>
        </message>
        <message>
            <source>while it worked</source>
            <translation>工作期间发送</translation>
        </message>
    </context>
    <context>
        <name>WaitingBar</name>
        <message>
            <source>Go to the question (Ctrl+Shift+A)</source>
            <translation>前往该问题 (Ctrl+Shift+A)</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
        <message>
            <source>The agent waits for your answer</source>
            <translation>智能体在等待您的回答</translation>
        </message>
    </context>
    <context>
        <name>_FileRow</name>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>Enter password</source>
            <translation>输入密码</translation>
        </message>
        <message>
            <source>Unlock</source>
            <translation>解锁</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>等待中</translation>
        </message>
        <message>
            <source>reading…</source>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>indexing…</source>
            <translation>正在索引…</translation>
        </message>
        <message>
            <source>added</source>
            <translation>已添加</translation>
        </message>
        <message>
            <source>already there</source>
            <translation>已存在</translation>
        </message>
        <message>
            <source>locked</source>
            <translation>已加密</translation>
        </message>
        <message>
            <source>needs OCR</source>
            <translation>需要 OCR</translation>
        </message>
        <message>
            <source>not a PDF</source>
            <translation>不是 PDF</translation>
        </message>
        <message>
            <source>damaged</source>
            <translation>已损坏</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
    </context>
    <context>
        <name>_Inner</name>
        <message numerus="yes">
            <source>%n earlier item(s)</source>
            <translation>
                <numerusform>较早的 %n 项</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>_Notice</name>
        <message>
            <source>Copy details</source>
            <translation>复制详细信息</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
    </context>
    <context>
        <name>_Sessions</name>
        <message>
            <source>Untitled</source>
            <translation>无标题</translation>
        </message>
        <message>
            <source>fork</source>
            <translation>分支</translation>
        </message>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>waits for you</source>
            <translation>等待您</translation>
        </message>
    </context>
</TS>
