// Changelogs as changesets writes them, but for one thing: several changesets of one commit are one line
// “Updated dependencies” and not a line each.
import changelog from '@changesets/cli/changelog'

export const getReleaseLine = changelog.getReleaseLine

export function getDependencyReleaseLine(changesets, dependencies) {
  const commits = new Map(changesets.map((changeset) => [changeset.commit, changeset]))
  return changelog.getDependencyReleaseLine([...commits.values()], dependencies)
}
