import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const cache = fileURLToPath(new URL('../../node_modules/.cache/bundled', import.meta.url))
const dayMs = 86_400_000

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
  const { outputFiles } = await build({
    entryPoints: {
      main: join(root, 'examples/quickstart/src/main.ts'),
      'latchkey-password-worker': join(root, 'packages/password/src/latchkey-password-worker.ts'),
    },
    outdir: cache,
    write: false,
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
  process.env.QUICKSTART_BUNDLE = join(await keep(outputFiles), 'main.mjs')
}

/** Returns the folder of the files. It is named after them: a run beside this one may have made it, or another of its own. */
async function keep(files: readonly OutputFile[]): Promise<string> {
  const digest = createHash('sha256')
  for (const { path, contents } of files) digest.update(basename(path)).update(contents)
  const folder = join(cache, digest.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  await removeOld()
  const made = await mkdtemp(join(cache, 'new-'))
  for (const { path, contents } of files) await writeFile(join(made, basename(path)), contents)
  for (const [name, user] of Object.entries(loadedByName)) {
    const place = join(made, 'node_modules', name)
    await mkdir(dirname(place), { recursive: true })
    await symlink(join(root, user, 'node_modules', name), place)
  }
  if (!existsSync(folder)) await rename(made, folder)
  return folder
}

async function removeOld(): Promise<void> {
  for (const name of await readdir(cache)) {
    const place = join(cache, name)
    if ((await stat(place)).mtimeMs < Date.now() - dayMs) await rm(place, { recursive: true, force: true })
  }
}
