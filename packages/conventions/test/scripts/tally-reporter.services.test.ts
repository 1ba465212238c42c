import { execFile } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse, type Files, root } from '../build-house.ts'

const head = "import { afterAll, test } from 'vitest'\nvoid afterAll\n"
const mixed = {
  'mixed.test.ts': `${head}
    test('passes', () => {})
    test.skip('is skipped', () => {})
    test('has no database', (context) => context.skip('no database'))
    test.todo('comes later')
  `,
}
const failing = {
  'fails.test.ts': `${head} test('fails', () => { throw new Error('no') })`,
  'does-not-load.test.ts': `${head} import './missing.ts'\n test('passes', () => {})`,
  'hook-throws.test.ts': `${head} afterAll(() => { throw new Error('no') })\n test('passes', () => {})`,
  'never-caught.test.ts': `${head} test('passes', () => { void Promise.reject(new Error('no')) })`,
}

test.concurrent.each<[run: string, files: Files, noSkips: string, code: number, ending: string[]]>([
  [
    'with skips passes and prints their reasons',
    mixed,
    '',
    0,
    ['2 skipped: no reason given', '1 skipped: no database', '1 passed, 0 failed, 3 skipped'],
  ],
  [
    'that allows no skips fails for each',
    mixed,
    '1',
    1,
    ['LATCHKEY_NO_SKIPS=1: a skipped test counts as failed.', '1 passed, 3 failed, 0 skipped'],
  ],
  [
    'counts as failed what does not load, hooks that throw and errors that are not caught',
    failing,
    '',
    1,
    ['2 passed, 4 failed, 0 skipped'],
  ],
])('a run %s', async (_run, files, LATCHKEY_NO_SKIPS, code, ending) => {
  const result = await runTests(files, { LATCHKEY_NO_SKIPS })
  expect(result.stdout.trimEnd().split('\n').slice(-ending.length)).toEqual(ending)
  expect(result.code).toBe(code)
})

const { 'never-caught.test.ts': neverCaught, ...inFiles } = failing
test.concurrent.each<[result: string, files: Files, noSkips: string, list: string[] | null]>([
  ['the failed files', { ...mixed, ...inFiles }, '', Object.keys(inFiles)],
  ['no file if no test failed', mixed, '', []],
  ['nothing if an error belongs to no file', { ...inFiles, 'never-caught.test.ts': neverCaught }, '', null],
  ['nothing if a test was skipped and none may be', { ...mixed, ...inFiles }, '1', null],
])('LATCHKEY_FAILED_FILES lists %s', async (_result, files, LATCHKEY_NO_SKIPS, list) => {
  const { folder } = await runTests(files, { LATCHKEY_FAILED_FILES: 'failed.log', LATCHKEY_NO_SKIPS })
  const path = join(folder, 'failed.log')
  const listed = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).toSorted() : null
  expect(listed).toEqual(list?.toSorted() ?? null)
})

interface TestRun {
  readonly folder: string
  readonly stdout: string
  readonly code: number
}

async function runTests(files: Files, variables: Readonly<Record<string, string>>): Promise<TestRun> {
  const { root: folder } = buildHouse(files)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--no-color', '--dir', folder]
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/tally-reporter.mjs')}`]
  const options = { cwd: folder, env: { ...process.env, ...variables } }
  const only = Object.keys(files)
  const run = promisify(execFile)(process.execPath, [...vitest, ...reporters, ...only], options)
  return run.then(
    ({ stdout }) => ({ folder, stdout, code: 0 }),
    ({ stdout, code }: { readonly stdout: string; readonly code: number }) => ({ folder, stdout, code }),
  )
}
