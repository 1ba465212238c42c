import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type House, type Manifest, openHouse } from '../src/house/house.ts'

export const root: string = fileURLToPath(new URL('../../..', import.meta.url))

export type Files = Readonly<Record<string, string>>

/** A small workspace in a temporary folder, gone after the run: the good package `one`, and what the test changes. */
export function buildHouse(...changes: readonly Files[]): House {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-house-')))
  const files = Object.assign(
    { 'package.json': '{ "devDependencies": { "vitest": "1" } }' },
    goodPackage('one'),
    ...changes,
  )
  for (const [path, text] of Object.entries<string>(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return openHouse(folder)
}

/** A package that breaks no rule. */
export function goodPackage(name: string, manifest: Manifest = {}): Files {
  const fields: Manifest = {
    name: `@latchkey/${name}`,
    version: '0.0.0',
    description: 'A package that breaks no rule of the house',
    keywords: ['latchkey', ...['a', 'b', 'c', 'd', 'e'].map((letter) => `${name}-${letter}`)],
    license: 'MIT',
    type: 'module',
    engines: { node: '>=22.18' },
    sideEffects: false,
    files: ['dist', 'src', 'CHANGELOG.md'],
    exports: { '.': entry('index'), './package.json': './package.json' },
    publishConfig: { access: 'public' },
    scripts: { build: 'tsup' },
    ...manifest,
  }
  return inFolder(name, {
    'package.json': JSON.stringify(fields),
    'tsconfig.json': '{}',
    'README.md': `# @latchkey/${name}\n\nnpm install @latchkey/${name}\n\n\`\`\`ts\n\`\`\`\n\n## Security\n`.replace(
      /^npm.*$/m,
      '```sh\n$&\n```',
    ),
    'src/index.ts': "export { createThing, type Thing } from './thing.ts'\n",
    'src/thing.ts': 'export interface Thing {}\nexport function createThing(): Thing { return {} }\n',
    'test/thing.test.ts': `import { createThing } from '@latchkey/${name}'\ncreateThing()\n`,
  })
}

/** The conditions of one subpath export. */
export function entry(name: string): Readonly<Record<string, string>> {
  return { '@latchkey/source': `./src/${name}.ts`, types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }
}

function inFolder(name: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`packages/${name}/${path}`, text]))
}
