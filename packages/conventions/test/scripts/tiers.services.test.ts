import { execFile } from 'node:child_process'
import { globSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse, root } from '../build-house.ts'
import { house } from '../this-house.ts'

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const run = promisify(execFile)
const { onlyInSecondTier }: { readonly onlyInSecondTier: readonly string[] } = await import(
  join(root, 'scripts/second-tier.ts')
)

/** How files of the second tier are named. */
const secondTier = /(?:\.(?:services|runtimes)|browser)\.test\.ts$/

const left = [
  { by: 'SERVERS=1', what: 'all tests in', include: ['test/*.services.test.ts'] },
  { by: 'LONG=1', what: 'some tests in', include: ['test/**/*.test.ts'], reading: 'env.LONG' },
  { by: 'OLD=1', what: 'again on the old release,', include: ['test/*.test.ts'], exclude: ['test/*.services.test.ts'] },
  { by: 'NOTHING=1', what: 'all tests in', include: ['nowhere/*.test.ts'] },
]
const scripts = (name: string) => JSON.stringify(join(root, 'scripts', name))
const passing = (title: string) => `import { test } from 'vitest'\n test('${title}', () => {})\n`
const files = {
  'vitest.config.mjs': `export default { test: {
    include: ['test/*.test.ts'], exclude: ['test/*.services.test.ts'],
    reporters: ['default', [${scripts('tiers-reporter.mjs')}, { left: ${JSON.stringify(left)} }], ${scripts('tally-reporter.mjs')}],
  } }`,
  'test/a.test.ts': passing('one'),
  'test/b.test.ts': `${passing('two')} if (process.env.LONG) test('three', () => {})`,
  'test/on.services.test.ts': passing('four'),
}

async function endOfRun(...words: string[]): Promise<string[]> {
  const { root: folder } = buildHouse(files)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  // Where skips are failures, a run of one title would fail.
  const env = { ...process.env, LATCHKEY_NO_SKIPS: '' }
  const { stdout } = await run(process.execPath, [vitest, 'run', '--root', folder, '--no-color', ...words], { env })
  const lines = stdout.trimEnd().split('\n')
  const begin = lines.findIndex((line) => line.startsWith('left to'))
  return begin < 0 ? lines.slice(-1) : lines.slice(begin)
}

test.concurrent('a run of everything names what it leaves to other tiers, before the tally', async () => {
  expect(await endOfRun()).toEqual([
    'left to SERVERS=1: all tests in 1 file',
    '  test/on.services.test.ts',
    'left to LONG=1: some tests in 1 file',
    '  test/b.test.ts',
    'left to OLD=1: again on the old release, 2 files',
    '  test/a.test.ts',
    '  test/b.test.ts',
    '2 passed, 0 failed, 0 skipped',
  ])
})

test.concurrent.each([
  ['of a path', ['test/a'], '1 passed, 0 failed, 0 skipped'],
  ['of a title', ['-t', 'two'], '1 passed, 0 failed, 1 skipped'],
])('a run %s leaves out all other tests, and names none of them', async (_what, words, tally) => {
  expect(await endOfRun(...words)).toEqual([tally])
})

/** What only a quiet machine can measure. */
const thirdTier = [
  'packages/graphql/test/handler/hostile-neighbour.test.ts',
  'packages/server/test/overload/neighbours.test.ts',
  'packages/server/test/simulation/planted/planted.test.ts',
]

test.each(onlyInSecondTier)('%s, which npm test leaves to the second tier, is there', (pattern) => {
  expect(globSync(pattern, { cwd: root })).not.toEqual([])
})

test('every test file of this repository is run by npm test, or is in the second or third tier', async () => {
  const list = async (TEST_TIER: string) => {
    const env = { ...process.env, TEST_TIER }
    const { stdout } = await run(process.execPath, [vitest, 'list', '--filesOnly', '--json'], { cwd: root, env })
    const listed: { readonly file: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[')))
    return new Set(listed.map(({ file }) => file.slice(root.length)))
  }
  const [first = new Set(), second = new Set(), third = new Set()] = await Promise.all(['1', '2', '3'].map(list))
  const written = house.files.filter((path) => /^(packages|examples)\/.*\.test(-d)?\.ts$/.test(path))
  expect(written.filter((path) => !third.has(path))).toEqual([])
  expect(written.filter((path) => !second.has(path))).toEqual(thirdTier)
  const leftToSecond = globSync(onlyInSecondTier, { cwd: root })
  const later = written.filter((path) => [...leftToSecond, ...thirdTier].includes(path) || secondTier.test(path))
  expect(written.filter((path) => !first.has(path))).toEqual(later)
})
