<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>Adding</name>
        <message numerus="yes">
            <source>%n file(s) were not imported.</source>
            <translation>
                <numerusform>%n file was not imported.</numerusform>
                <numerusform>%n files were not imported.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) need a password.</source>
            <translation>
                <numerusform>%n file needs a password.</numerusform>
                <numerusform>%n files need a password.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) taken out of the queue.</source>
            <translation>
                <numerusform>%n file taken out of the queue.</numerusform>
                <numerusform>%n files taken out of the queue.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Composer</name>
        <message numerus="yes">
            <source>Too long by %n character(s)</source>
            <translation>
                <numerusform>Too long by %n character</numerusform>
                <numerusform>Too long by %n characters</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Asks %n selected paper(s)</source>
            <translation>
                <numerusform>Asks %n selected paper</numerusform>
                <numerusform>Asks %n selected papers</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Head</name>
        <message numerus="yes">
            <source>%n step(s)</source>
            <translation>
                <numerusform>%n step</numerusform>
                <numerusform>%n steps</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>LibraryPane</name>
        <message numerus="yes">
            <source>%n paper(s)</source>
            <translation>
                <numerusform>%n paper</numerusform>
                <numerusform>%n papers</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%1 of %n paper(s)</source>
            <translation>
                <numerusform>%1 of %n paper</numerusform>
                <numerusform>%1 of %n papers</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n paper(s) moved to the trash.</source>
            <translation>
                <numerusform>%n paper moved to the trash.</numerusform>
                <numerusform>%n papers moved to the trash.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n citation(s) copied.</source>
            <translation>
                <numerusform>%n citation copied.</numerusform>
                <numerusform>%n citations copied.</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n identifier(s) copied.</source>
            <translation>
                <numerusform>%n identifier copied.</numerusform>
                <numerusform>%n identifiers copied.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Models</name>
        <message numerus="yes">
            <source>%n language(s)</source>
            <translation>
                <numerusform>%n language</numerusform>
                <numerusform>%n languages</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Output</name>
        <message numerus="yes">
            <source>… %n character(s) left out …</source>
            <translation>
                <numerusform>… %n character left out …</numerusform>
                <numerusform>… %n characters left out …</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>PaperDelegate</name>
        <message numerus="yes">
            <source>%n note(s)</source>
            <translation>
                <numerusform>%n note</numerusform>
                <numerusform>%n notes</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Passport</name>
        <message numerus="yes">
            <source>There was no time for %n test(s)</source>
            <translation>
                <numerusform>There was no time for %n test</numerusform>
                <numerusform>There was no time for %n tests</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n tool(s) at most</source>
            <translation>
                <numerusform>%n tool at most</numerusform>
                <numerusform>%n tools at most</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>QueuePanel</name>
        <message numerus="yes">
            <source>and %n more file(s)</source>
            <translation>
                <numerusform>and %n more file</numerusform>
                <numerusform>and %n more files</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>ServicePage</name>
        <message numerus="yes">
            <source>The key works; %n model(s).</source>
            <translation>
                <numerusform>The key works; %n model.</numerusform>
                <numerusform>The key works; %n models.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>StatusBar</name>
        <message numerus="yes">
            <source>%n file(s) not imported</source>
            <translation>
                <numerusform>%n file not imported</numerusform>
                <numerusform>%n files not imported</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) need a password</source>
            <translation>
                <numerusform>%n file needs a password</numerusform>
                <numerusform>%n files need a password</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n file(s) imported</source>
            <translation>
                <numerusform>%n file imported</numerusform>
                <numerusform>%n files imported</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n unread error(s)</source>
            <translation>
                <numerusform>%n unread error</numerusform>
                <numerusform>%n unread errors</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>Timeline</name>
        <message numerus="yes">
            <source>%n old result(s) set aside</source>
            <translation>
                <numerusform>%n old result set aside</numerusform>
                <numerusform>%n old results set aside</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>ToolCard</name>
        <message numerus="yes">
            <source>%n step(s)</source>
            <translation>
                <numerusform>%n step</numerusform>
                <numerusform>%n steps</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>_Inner</name>
        <message numerus="yes">
            <source>%n earlier item(s)</source>
            <translation>
                <numerusform>%n earlier item</numerusform>
                <numerusform>%n earlier items</numerusform>
            </translation>
        </message>
    </context>
</TS>
