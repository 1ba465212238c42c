import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse, goodPackage, root } from '../build-house.ts'

const script = join(root, 'packages/conventions/src/structure.ts')
const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [script, ...args]).catch((error: unknown) => error)

test.concurrent('the script measures another checkout as JSON', async () => {
  const { root: other } = buildHouse(goodPackage('one'))
  const { stdout } = (await run('--root', other, '--json', '--longest', '1')) as { readonly stdout: string }
  const { packages, functions } = JSON.parse(stdout)
  expect(packages).toMatchObject([{ name: '@latchkey/one' }])
  expect(functions.longest).toHaveLength(1)
})

test.concurrent('without options the script writes text about its own repository', async () => {
  expect(await run()).toMatchObject({
    stdout: expect.stringMatching(/@latchkey\/jwt +src +\d+ \(\d+\), test +\d+[\s\S]*Circles of folders: \d+/),
  })
})

test.concurrent('--help explains the options', async () => {
  expect(await run('--help')).toMatchObject({ stdout: expect.stringContaining('--root <folder>') })
})

test.concurrent.each([[['--rot', 'x']], [['--longest', 'many']]])('%j is refused with the usage', async (args) => {
  expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('usage: node') })
})
