import { expect, test } from 'vitest'
import { checkTree } from '../../src/checks/check-tree.ts'
import { buildHouse, type Files, goodPackage, house } from '../build-house.ts'

test('the tree in CONTRIBUTING.md is the tree of the repository', () => {
  expect(checkTree(house)).toEqual([])
})

const tree = `# Contributing

\`\`\`text
packages/
  one/     one thing
    keys/  its keys
    cli/   its commands
docs/      pages
\`\`\`
`
const good: Files = {
  ...goodPackage('one'),
  'packages/one/src/keys/key.ts': 'export const key = 1',
  'packages/one/src/cli/run.ts': 'export const run = 1',
  'docs/README.md': '# Docs',
  '.changeset/README.md': '',
}
const plan = { 'packages/one': { keys: [], 'create-thing.ts': [], cli: ['keys'] } }
const check = (text: string, changes: Files = {}) =>
  checkTree(buildHouse(good, { 'CONTRIBUTING.md': text }, changes), plan)

test('a tree with every package and room breaks no rule', () => {
  expect(check(tree)).toEqual([])
})

test.each<[rule: string, from: string, to: string, violation: string]>([
  [
    'a room without a line',
    '    keys/  its keys\n',
    '',
    'CONTRIBUTING.md: the tree has no line for packages/one/src/keys: add it, with what one looks for there',
  ],
  [
    'a line for a room that is gone',
    'docs/ ',
    '    mail/  its mails\ndocs/ ',
    'CONTRIBUTING.md:8: packages/one/src/mail is not there: remove its line',
  ],
  [
    'a line for a package that is gone',
    'docs/ ',
    '  two/     two things\ndocs/ ',
    'CONTRIBUTING.md:8: packages/two is not there: remove its line',
  ],
  [
    'a top folder without a line',
    'docs/      pages\n',
    '',
    'CONTRIBUTING.md: the tree has no line for docs: add it, with what one looks for there',
  ],
  [
    'a room without words',
    'keys/  its keys',
    'keys/',
    'CONTRIBUTING.md:6: packages/one/src/keys needs a few words on what one looks for there',
  ],
  [
    'rooms in another order than in the plan',
    '    keys/  its keys\n    cli/   its commands\n',
    '    cli/   its commands\n    keys/  its keys\n',
    'CONTRIBUTING.md: the rooms of packages/one stand in the plan as keys, cli',
  ],
  [
    'no tree at all',
    'packages/\n',
    'sources/\n',
    'CONTRIBUTING.md: has no tree: a text block with the folders of the repository',
  ],
])('%s is named', (_rule, from, to, violation) => {
  expect(tree).toContain(from)
  expect(check(tree.replace(from, to))).toEqual([violation])
})

test('a package without a line is named', () => {
  expect(check(tree, goodPackage('two'))).toEqual([
    'CONTRIBUTING.md: the tree has no line for packages/two: add it, with what one looks for there',
  ])
})
