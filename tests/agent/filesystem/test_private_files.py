"""Files of the folder that the person opened are private; skills and stored results are not."""

from __future__ import annotations

import pytest

from app.agent.tools.filesystem.grep import GrepFiles
from app.agent.tools.filesystem.read import ReadFile
from tests.agent.filesystem.conftest import Desk, Place


@pytest.mark.parametrize("project", [True, False])
async def test_that_what_lies_in_the_project_folder_is_private(
    desk: Desk, place: Place, project: bool
) -> None:
    mine, skill = place.project / "draft.tex", place.home / "tool-results" / "a.txt"
    for path in (mine, skill):
        path.write_text("the period\n")
    assert not (await desk.call(ReadFile(), project=project, path=str(skill))).private
    if project:
        assert (await desk.call(ReadFile(), path=str(mine))).private
        assert (await desk.call(GrepFiles(), pattern="period")).private
        assert not (await desk.call(GrepFiles(), pattern="nowhere at all")).private
