import { expect, test } from 'vitest'
import { checkShape } from '../../src/checks/check-shape.ts'
import type { Manifest } from '../../src/house/house.ts'
import { buildHouse, entry, type Files, goodPackage } from '../build-house.ts'

test('the good package of these tests breaks no rule', () => {
  expect(checkShape(buildHouse())).toEqual([])
})

const manifest = 'packages/one/package.json'
test.each<[rule: string, fields: Manifest, violation: string]>([
  ['has another name than its folder', { name: '@latchkey/two' }, `${manifest}: name and folder differ`],
  ['stands outside the scope', { name: 'one' }, `${manifest}: name is @latchkey/ and its folder`],
  ['does not say what it is', { description: 'One' }, `${manifest}: description is a sentence`],
  ['has another license', { license: 'ISC' }, `${manifest}: license is MIT`],
  ['is CommonJS', { type: 'commonjs' }, `${manifest}: type is module`],
  ['promises another Node.js', { engines: { node: '>=18' } }, `${manifest}: engines.node is >=22.18`],
  ['hides its side effects', { sideEffects: true }, `${manifest}: sideEffects is false or a list of files`],
  ['ships without its source', { files: ['dist'] }, `${manifest}: files begin with dist, src, CHANGELOG.md`],
  ['would be published privately', { publishConfig: {} }, `${manifest}: publishConfig.access is public`],
  [
    'names a homepage',
    { homepage: 'https://example.com' },
    `${manifest}: homepage, bugs and repository are set at release`,
  ],
  ['names where bugs go', { bugs: {} }, `${manifest}: homepage, bugs and repository are set at release`],
  ['names a repository', { repository: 'a/b' }, `${manifest}: homepage, bugs and repository are set at release`],
  ['cannot be built', { scripts: {} }, `${manifest}: scripts.build exists`],
  ['hides its package.json', { exports: { '.': entry('index') } }, `${manifest}: exports has . and ./package.json`],
])('a package that %s is named', (_rule, fields, violation) => {
  expect(checkShape(buildHouse(goodPackage('one', fields)))).toContain(violation)
})

const five = ['latchkey', 'aes-gcm', 'hkdf', 'hmac', 'base64url', 'sha-256']
test.each<[rule: string, keywords: readonly string[], violation: string]>([
  ['no keywords', [], 'keywords has five beside latchkey'],
  ['four keywords of its own', five.slice(0, 5), 'keywords has five beside latchkey'],
  ['a keyword twice', [...five, 'hkdf'], 'keywords has none twice'],
  ['four keywords, one of them twice', [...five.slice(0, 5), 'hkdf'], 'keywords has five beside latchkey'],
  ['no name of the project', five.slice(1), 'keywords has latchkey'],
  ['a keyword of two words', [...five, 'key derivation'], 'keywords are in lower case, with hyphens'],
  ['a keyword in capitals', [...five, 'HMAC'], 'keywords are in lower case, with hyphens'],
])('a package with %s is named', (_rule, keywords, violation) => {
  const one = goodPackage('one', { keywords })
  expect(checkShape(buildHouse(one))).toContain(`${manifest}: ${violation}`)
})

test('a keyword of three packages is named in each, and a keyword of two is not', () => {
  const houseOf = (...names: readonly string[]) =>
    buildHouse(
      ...names.map((name) =>
        goodPackage(name, {
          keywords: ['latchkey', 'auth', 'w', 'x', 'y', 'z'].map((word) =>
            word.length > 1 ? word : `${name}-${word}`,
          ),
        }),
      ),
    )
  expect(checkShape(houseOf('one', 'two'))).toEqual([])
  expect(checkShape(houseOf('one', 'two', 'three'))).toEqual(
    ['one', 'three', 'two'].map(
      (name) => `packages/${name}/package.json: keyword auth stands in more than two packages`,
    ),
  )
})

test.each<[rule: string, target: unknown]>([
  ['has no source', { types: './dist/node.d.ts', default: './dist/node.js' }],
  ['has no types', { '@latchkey/source': './src/node.ts', default: './dist/node.js' }],
  [
    'puts JavaScript before types',
    { '@latchkey/source': './src/node.ts', default: './dist/node.js', types: './dist/node.d.ts' },
  ],
  ['leads to another file', { '@latchkey/source': './src/node.ts', types: './dist/x.d.ts', default: './dist/node.js' }],
  ['adds CommonJS', { ...entry('node'), require: './dist/node.cjs' }],
  ['is one file', './dist/node.js'],
])('a subpath export that %s is named', (_rule, target) => {
  const exports = { '.': entry('index'), './node': target, './package.json': './package.json' }
  expect(checkShape(buildHouse(goodPackage('one', { exports })))).toContain(
    `${manifest}: exports "./node" needs @latchkey/source, types, default`,
  )
})

test('a subpath export without a source file is named', () => {
  const exports = { '.': entry('index'), './node': entry('node'), './package.json': './package.json' }
  expect(checkShape(buildHouse(goodPackage('one', { exports })))).toEqual([
    `${manifest}: exports "./node" has no source packages/one/src/node.ts`,
  ])
})

test.each(['README.md', 'tsconfig.json', 'src/index.ts'])('a package without %s is named', (path) => {
  const { [`packages/two/${path}`]: _removed, ...files } = goodPackage('two')
  expect(checkShape(buildHouse(files))).toContain(`packages/two: ${path} is missing`)
})

test('a package without tests is named', () => {
  const { 'packages/two/test/thing.test.ts': _removed, ...files } = goodPackage('two')
  expect(checkShape(buildHouse(files))).toEqual(['packages/two: has no tests'])
})

test.each(['scripts/build.sh', 'helper.ts', '.npmignore'])('a stray file in a package is named: %s', (path) => {
  expect(checkShape(buildHouse({ [`packages/one/${path}`]: '' }))).toEqual([
    `packages/one: ${path} does not belong into a package`,
  ])
})

const readme = 'packages/one/README.md'
test.each<[rule: string, files: Files, violation: string]>([
  ['another title', { [readme]: '# One\n' }, `${readme}: must begin with "# @latchkey/one"`],
  ['no way to install it', { [readme]: '# @latchkey/one\n' }, `${readme}: must show how it is installed`],
  ['no example', { [readme]: '```js\n```\n' }, `${readme}: must show a first example in a ts block`],
  ['no security note', { [readme]: '# Security\n' }, `${readme}: must have a section "## Security"`],
])('a README with %s is named', (_rule, files, violation) => {
  expect(checkShape(buildHouse(files))).toContain(violation)
})
