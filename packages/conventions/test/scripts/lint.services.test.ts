import { execFile } from 'node:child_process'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { buildHouse, type Files } from '../build-house.ts'
import { house } from '../this-house.ts'

const src = 'packages/one/src'

/** A refused file: what is wrong with it, its path, its text, and the rule of Biome that refuses it. */
type Refused = readonly [what: string, path: string, text: string, rule: string]

const refused: readonly Refused[] = [
  ['a name in camel case', `${src}/readToken.ts`, 'export const a = 1', 'style/useFilenamingConvention'],
  ['a name with an underscore', `${src}/read_token.ts`, 'export const a = 1', 'style/useFilenamingConvention'],
  ['a test in camel case', 'packages/one/test/readToken.test.ts', 'export {}', 'style/useFilenamingConvention'],
  ['351 lines', `${src}/long.ts`, 'export {}\n'.repeat(351), 'style/noExcessiveLinesPerFile'],
  ['a default export', `${src}/default.ts`, 'export default 1', 'style/noDefaultExport'],
  [
    'a default export by name',
    `${src}/named-default.ts`,
    'const a = 1\nexport { a as default }',
    'style/noDefaultExport',
  ],
  ['an open export', `${src}/open.ts`, "export * from './thing.ts'", 'performance/noReExportAll'],
  ['an open export of an entry', `${src}/sse.ts`, "export * from './thing.ts'", 'performance/noReExportAll'],
  ['names passed on', `${src}/barrel.ts`, "export { thing } from './thing.ts'", 'performance/noBarrelFile'],
  [
    'names imported and passed on',
    `${src}/again.ts`,
    "import { thing } from './thing.ts'\nexport { thing }",
    'style/noExportedImports',
  ],
  ['any', `${src}/any.ts`, 'export function read(value: any): void {}', 'suspicious/noExplicitAny'],
  ['any in a type argument', `${src}/any-map.ts`, 'export type A = Map<string, any>', 'suspicious/noExplicitAny'],
  ['printing', `${src}/print.ts`, "console.log('here')", 'suspicious/noConsole'],
  ['printing in a roundabout way', `${src}/warn.ts`, "globalThis.console.error('here')", 'suspicious/noConsole'],
  ['the environment', `${src}/env.ts`, 'export const a = process.env.PORT', 'style/noProcessEnv'],
  ['the environment, unpacked', `${src}/unpacked.ts`, 'export const { env } = process', 'correctness/noProcessGlobal'],
  ['the environment by string', `${src}/env-text.ts`, "globalThis.process['env']", 'style/noProcessEnv'],
  ['a module of Node.js', `${src}/fs.ts`, "import 'node:fs'", 'style/noRestrictedImports'],
  [
    'a module of Node.js for its types',
    `${src}/stats.ts`,
    "export type { Stats } from 'node:fs'",
    'style/noRestrictedImports',
  ],
  ['a module of Node.js later', `${src}/later.ts`, "await import('node:fs')", 'style/noRestrictedImports'],
  ['what is below ./node', `${src}/listen.ts`, "import './node/listen.ts'", 'style/noRestrictedImports'],
  ['what is below ./node, in a room', `${src}/room/listen.ts`, "import '../node/x.ts'", 'style/noRestrictedImports'],
  ['a kit of its own', `${src}/kit.ts`, "import './testing/kit.ts'", 'style/noRestrictedImports'],
  ['a kit of a neighbour', `${src}/their-kit.ts`, "import '@latchkey/two/testing'", 'style/noRestrictedImports'],
  ['a kit below ./node', `${src}/node/kit.ts`, "import '../testing/kit.ts'", 'style/noRestrictedImports'],
  ['a module of Node.js in a kit', `${src}/testing/fs.ts`, "import 'node:fs'", 'style/noRestrictedImports'],
  ['what is not declared', `${src}/lodash.ts`, "import 'lodash'", 'correctness/noUndeclaredDependencies'],
  ['what is declared for tests only', `${src}/pg.ts`, "import 'pg'", 'correctness/noUndeclaredDependencies'],
  ['itself over others', `${src}/cycle-a.ts`, "import './cycle-b.ts'", 'suspicious/noImportCycles'],
  ['itself for a type', `${src}/cycle-b.ts`, "import type { A } from './cycle-a.ts'", 'suspicious/noImportCycles'],
]

const allowed: Files = {
  [`${src}/thing.ts`]: "import 'cookie'\nexport const thing = 1\n",
  [`${src}/index.ts`]: "export { thing } from './thing.ts'\n",
  [`${src}/node.ts`]: "export { port } from './node/port.ts'\n",
  [`${src}/node/port.ts`]: "import 'node:http'\n\nexport const port = process.env.PORT\n",
  [`${src}/testing.ts`]: "export { kit } from './testing/kit.ts'\n",
  [`${src}/testing/kit.ts`]: "import '@latchkey/two/testing'\n\nexport const kit = 1\n",
  'packages/one/test/thing.test.ts': "import 'node:fs'\n\nconsole.log(process.env.PORT)\n",
}

/** Path → the rules that refuse the file, of one run of Biome with the configuration of this repository. */
const found = new Map<string, string[]>()

beforeAll(async () => {
  const manifest = {
    name: '@latchkey/one',
    dependencies: { cookie: '1', '@latchkey/two': '1' },
    devDependencies: { pg: '1' },
  }
  const { root } = buildHouse(Object.fromEntries(refused.map(([, path, text]) => [path, text])), allowed, {
    'biome.jsonc': house.read('biome.jsonc'),
    'packages/one/package.json': JSON.stringify(manifest),
  })
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', '.']
  const biome = join(house.root, 'node_modules/.bin/biome')
  const failure: unknown = await promisify(execFile)(biome, args, { cwd: root }).catch((error: unknown) => error)
  const output = failure instanceof Error && 'stdout' in failure ? String(failure.stdout) : ''
  for (const [, rule = '', file = ''] of output.matchAll(/^::error title=lint\/([^,]+),file=([^,]+)/gm)) {
    const path = relative(root, file)
    found.set(path, [...(found.get(path) ?? []), rule])
  }
})

test.each(refused)('the linter refuses %s', (_what, path, _text, rule) => {
  expect(found.get(path)).toContain(rule)
})

test('the linter accepts all permitted code of entries, Node.js files, kits and tests', () => {
  expect(Object.keys(allowed).flatMap((path) => found.get(path) ?? [])).toEqual([])
})
