import { mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const folder = fileURLToPath(new URL('../../node_modules/.cache/bundled', import.meta.url))

/** What is loaded by names that are not written in an import, and from which packages. */
const loadedByName = {
  graphql: 'packages/graphql',
  '@node-rs': 'packages/password',
}

/** Files that stand beside a source are found there. The worker is looked for beside the bundle. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' }
    })
  },
}

/**
 * Bundles the quickstart from its sources, once in a run: a process that loads two files instead of a thousand starts in
 * half of the time.
 */
export async function setup(): Promise<void> {
  if (process.env.QUICKSTART_BUNDLE) return
  await rm(folder, { recursive: true, force: true })
  await build({
    entryPoints: {
      main: join(root, 'examples/quickstart/src/main.ts'),
      'latchkey-password-worker': join(root, 'packages/password/src/latchkey-password-worker.ts'),
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    conditions: ['@latchkey/source'],
    external: ['graphql', '@node-rs/*', 'pg-native'],
    // Some of the dependencies are CommonJS modules.
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    plugins: [keepPlaces],
  })
  for (const [name, user] of Object.entries(loadedByName)) {
    const place = join(folder, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(join(root, user, 'node_modules', name), place)
  }
  process.env.QUICKSTART_BUNDLE = join(folder, 'main.mjs')
}
