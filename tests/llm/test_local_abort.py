from __future__ import annotations

import ctypes

from app.llm.local.abort import AbortFlag


def test_that_c_sees_the_flag_as_its_callback_must() -> None:
    flag = AbortFlag()
    callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(
        ctypes.cast(flag._strlen, ctypes.c_void_p).value  # type: ignore[arg-type]
    )
    address = ctypes.addressof(flag._text)
    seen = [callback(address)]
    flag.set()
    seen.append(callback(address))
    assert flag.is_set
    flag.clear()
    seen.append(callback(address))
    assert seen == [False, True, False]
