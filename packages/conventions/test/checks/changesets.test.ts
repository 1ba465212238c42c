import { expect, test } from 'vitest'
import { checkChangesets } from '../../src/checks/check-changesets.ts'
import { buildHouse, goodPackage } from '../build-house.ts'

const path = '.changeset/brave-cats-wait.md'

test.each(['minor', 'patch'])('a changeset that raises a package by a %s and says why breaks no rule', (type) => {
  const text = `---\n"@latchkey/one": ${type}\n---\n\nA sentence for the changelog.\n`
  expect(checkChangesets(buildHouse({ [path]: text, '.changeset/README.md': '# Changesets\n' }))).toEqual([])
})

const text = '\n\nA sentence for the changelog.\n'
test.each<[what: string, changeset: string, problem: string]>([
  ['an unknown package', `---\n"@latchkey/won": minor\n---${text}`, 'there is no package @latchkey/won'],
  ['a private package', `---\n"@latchkey/inner": minor\n---${text}`, '@latchkey/inner is private and never released'],
  [
    'a private package beside a public one',
    `---\n"@latchkey/one": minor\n"@latchkey/inner": minor\n---${text}`,
    '@latchkey/inner is private and never released',
  ],
  [
    'a bump that there is not',
    `---\n"@latchkey/one": minr\n---${text}`,
    'cannot be read: invalid version type "minr" for package "@latchkey/one".',
  ],
  [
    'a bump that releases nothing',
    `---\n"@latchkey/one": none\n---${text}`,
    '@latchkey/one: none releases nothing; write minor or patch',
  ],
  [
    'a major bump before 1.0',
    `---\n"@latchkey/one": major\n---${text}`,
    '@latchkey/one: major would be version 1.0.0; write minor',
  ],
  [
    'a package without a bump',
    `---\n"@latchkey/one":\n---${text}`,
    'cannot be read: invalid release type for package "@latchkey/one".',
  ],
  [
    'a package twice',
    `---\n"@latchkey/one": minor\n"@latchkey/one": patch\n---${text}`,
    'cannot be read: invalid YAML in frontmatter.',
  ],
  ['no package', `---\n---${text}`, 'names no package'],
  ['no text', '---\n"@latchkey/one": minor\n---\n', 'has no text for the changelog'],
  ['nothing', '', 'does not begin with the front matter, whose first line is ---'],
  ['no front matter', 'A sentence.\n', 'does not begin with the front matter, whose first line is ---'],
  [
    'a front matter below its text',
    `Above.\n---\n"@latchkey/one": minor\n---${text}`,
    'does not begin with the front matter, whose first line is ---',
  ],
  [
    'a front matter that is not closed',
    `---\n"@latchkey/one": minor\n${text}`,
    'cannot be read: missing or invalid frontmatter.',
  ],
])('a changeset with %s is named', (_what, changeset, problem) => {
  const inner = goodPackage('inner', { name: '@latchkey/inner', private: true })
  expect(checkChangesets(buildHouse(inner, { [path]: changeset }))).toEqual([`${path}: ${problem}`])
})

test('from 1.0 on a changeset may raise a package by a major', () => {
  const stable = goodPackage('one', { version: '1.2.0' })
  expect(checkChangesets(buildHouse(stable, { [path]: `---\n"@latchkey/one": major\n---${text}` }))).toEqual([])
})
