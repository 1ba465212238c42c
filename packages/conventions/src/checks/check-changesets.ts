import { parseChangesetFile } from '@changesets/parse'
import type { House } from '../house/house.ts'

/**
 * Every changeset can be read by the tool that raises the versions, names public packages, raises each by a minor or a
 * patch, and says something. One that cannot be read stops the release of all the others.
 */
export function checkChangesets(house: House): string[] {
  return house.files
    .filter((path) => /^\.changeset\/.+\.md$/.test(path) && path !== '.changeset/README.md')
    .flatMap((path) => checkChangeset(house, house.read(path)).map((problem) => `${path}: ${problem}`))
}

function checkChangeset(house: House, text: string): string[] {
  // The parser looks for a front matter anywhere and drops what stands above it.
  if (!text.startsWith('---')) return ['does not begin with the front matter, whose first line is ---']
  try {
    const { releases, summary } = parseChangesetFile(text)
    return [
      ...(releases.length > 0 ? [] : ['names no package']),
      ...releases.flatMap(({ name, type }) => checkRelease(house, name, type)),
      ...(summary === '' ? ['has no text for the changelog'] : []),
    ]
  } catch (error) {
    return [`cannot be read: ${error instanceof Error ? firstSentence(error.message) : error}`]
  }
}

/** Published too, although no program imports it. */
const command = 'create-latchkey'

function checkRelease(house: House, name: string, type: string): string[] {
  const found = house.packages.find((one) => one.name === name)
  if (!found && name !== command) {
    const isPrivate = house.privatePackages.some((one) => one.name === name)
    return [isPrivate ? `${name} is private and never released` : `there is no package ${name}`]
  }
  if (type === 'none') return [`${name}: none releases nothing; write minor or patch`]
  const isBeforeOne = /^0\./.test(found?.manifest.version ?? '0.')
  return type === 'major' && isBeforeOne ? [`${name}: major would be version 1.0.0; write minor`] : []
}

/** Returns the first sentence; the parser adds an example and the contents. */
function firstSentence(message: string): string {
  return message.replace(/^could not parse changeset - /, '').split('\n', 1)[0] ?? message
}
