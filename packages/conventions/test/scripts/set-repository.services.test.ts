import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildHouse, goodPackage, root as repository } from '../build-house.ts'

const run = promisify(execFile)

interface Outcome {
  readonly code: number
  readonly output: string
  /** The package.json of the public package and of the other, which is private unless it is said otherwise. */
  readonly manifests: readonly Readonly<Record<string, unknown>>[]
  /** The README of the public package. */
  readonly readme: string
}

const links =
  '[A](../../docs/a.md#b), [two](../two/README.md), [own](src/thing.ts), [here](#security), [web](https://web.example/../c)'

/** Runs the script on a small workspace that was cloned from the address, in a workflow or on a desk. */
async function setRepository(
  origin: string | null,
  workflow: Readonly<Record<string, string>> = {},
  second: object = { private: true },
): Promise<Outcome> {
  const { root } = buildHouse(goodPackage('two', second), { 'packages/one/README.md': links })
  await run('git', ['init', '--quiet'], { cwd: root })
  if (origin !== null) await run('git', ['remote', 'add', 'origin', origin], { cwd: root })
  const env = { ...process.env, GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: '', ...workflow }
  const args = [join(repository, 'scripts/set-repository.mjs'), '--root', root]
  const { code, output } = await run(process.execPath, args, { env }).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  )
  const manifests = ['one', 'two'].map((name) =>
    JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8')),
  )
  const readme = readFileSync(join(root, 'packages/one/README.md'), 'utf8')
  return { code, output, manifests, readme }
}

const fieldsAt = (address: string) => ({
  homepage: `${address}/tree/HEAD/packages/one#readme`,
  bugs: { url: `${address}/issues` },
  repository: { type: 'git', url: `git+${address}.git`, directory: 'packages/one' },
})
const unset = { homepage: undefined, bugs: undefined, repository: undefined }

test.concurrent('in a workflow public packages name the repository of the workflow', async () => {
  const workflow = { GITHUB_SERVER_URL: 'https://forge.example', GITHUB_REPOSITORY: 'ada/latchkey' }
  const { code, manifests } = await setRepository('https://other.example/eve/fork.git', workflow)
  expect(code).toBe(0)
  expect(manifests[0]).toMatchObject({
    name: '@latchkey/one',
    license: 'MIT',
    ...fieldsAt('https://forge.example/ada/latchkey'),
  })
  expect({ ...unset, ...manifests[1] }).toMatchObject(unset)
})

test.concurrent('links of a README to files outside its package lead to the repository, and no others change', async () => {
  const { code, readme } = await setRepository('https://forge.example/ada/latchkey.git')
  expect(code).toBe(0)
  expect(readme).toBe(
    links
      .replace('../../docs', 'https://forge.example/ada/latchkey/blob/HEAD/docs')
      .replace('../two', 'https://forge.example/ada/latchkey/blob/HEAD/packages/two'),
  )
})

test.concurrent('a bundled package is no dependency of a release', async () => {
  const bundled = { dependencies: { 'a-one': '^1.0.0', 'b-two': 'catalog:' }, bundled: ['a-one'] }
  const { code, manifests } = await setRepository('https://forge.example/ada/latchkey', {}, bundled)
  expect(code).toBe(0)
  expect(manifests[1]).toMatchObject({ dependencies: { 'b-two': 'catalog:' } })
  expect(JSON.stringify(manifests[1])).not.toContain('a-one')
})

test.concurrent.each([
  ['https://forge.example/ada/latchkey.git', 'https://forge.example/ada/latchkey'],
  ['https://forge.example/ada/latchkey', 'https://forge.example/ada/latchkey'],
  ['https://forge.example/ada/latchkey/', 'https://forge.example/ada/latchkey'],
  ['https://forge.example:8443/group/ada/latchkey.git', 'https://forge.example:8443/group/ada/latchkey'],
  ['git@forge.example:ada/latchkey.git', 'https://forge.example/ada/latchkey'],
  ['ssh://git@forge.example:2222/ada/latchkey.git', 'https://forge.example/ada/latchkey'],
  ['git://forge.example/ada/latchkey.git', 'https://forge.example/ada/latchkey'],
])('elsewhere they are of the remote %s', async (origin, address) => {
  const { code, manifests } = await setRepository(origin)
  expect(code).toBe(0)
  expect(manifests[0]).toMatchObject(fieldsAt(address))
})

test.concurrent('the token that a repository was cloned with is neither written nor printed', async () => {
  const { code, output, manifests } = await setRepository(
    'https://x-access-token:s3cr3t@forge.example/ada/latchkey.git',
  )
  expect(code).toBe(0)
  expect(manifests[0]).toMatchObject(fieldsAt('https://forge.example/ada/latchkey'))
  expect(JSON.stringify(manifests) + output).not.toMatch(/s3cr3t|x-access-token/)
})

test.concurrent.each([
  ['no remote', null],
  ['a folder', '/srv/git/latchkey.git'],
  ['a file', 'file:///srv/git/latchkey.git'],
  ['a folder beside it', '../latchkey'],
  ['a host alone', 'https://forge.example/'],
])('a clone of %s has no public address, and no file is written', async (_what, origin) => {
  const { code, output, manifests, readme } = await setRepository(origin)
  expect(code).toBe(1)
  expect(readme).toBe(links)
  expect(output).toContain('No address of a public repository')
  expect({ ...unset, ...manifests[0] }).toMatchObject(unset)
})

test.concurrent('an option that does not exist is refused with the usage', async () => {
  const failure = await run(process.execPath, [join(repository, 'scripts/set-repository.mjs'), '--rot', '.']).catch(
    (error) => error,
  )
  expect(failure).toMatchObject({ code: 2, stderr: expect.stringContaining('usage: node scripts/set-repository.mjs') })
})
