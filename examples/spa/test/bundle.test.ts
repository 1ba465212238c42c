import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const example = fileURLToPath(new URL('..', import.meta.url))
const committed = join(example, '../quickstart/public')
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js')

async function contentsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path.slice(folder.length), await readFile(path, 'utf8')] as const)),
  )
}

test('the files that the quickstart serves are what a build makes of the sources: otherwise run `npm run build`', async () => {
  const fresh = await mkdtemp(join(tmpdir(), 'latchkey-front-end-'))
  const { NODE_ENV: _ofTests, ...env } = process.env
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', fresh], { cwd: example, env })
  const [built, served] = [await contentsOf(fresh), await contentsOf(committed)]
  await rm(fresh, { recursive: true })
  expect(Object.keys(served)).toEqual(Object.keys(built))
  expect(Object.keys(built).filter((path) => built[path] !== served[path])).toEqual([])
})
