import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const program = fileURLToPath(new URL('../src/move.ts', import.meta.url))

/** Runs the move on a file of old users, and returns the lines that it writes. */
async function run(from: string, text: string): Promise<readonly string[]> {
  const cwd = await mkdtemp(join(tmpdir(), 'latchkey-move-'))
  onTestFinished(() => rm(cwd, { recursive: true }))
  await writeFile(join(cwd, 'old'), text)
  const env = { ...process.env, FROM: from, OLD_USERS: 'old', DATABASE: 'app.db' }
  const options = ['--conditions=@latchkey/source', '--no-warnings', program]
  const { stdout } = await promisify(execFile)(process.execPath, options, { cwd, env })
  return stdout.trim().split('\n')
}

const keycloak = {
  realm: 'shop',
  users: [
    { id: 'a', username: 'ada', email: 'ada@example.com', enabled: true, credentials: [{ type: 'webauthn' }] },
    {
      ...{ id: 'b', username: 'ben', email: 'ben@example.com', enabled: true, emailVerified: true },
      federatedIdentities: [{ identityProvider: 'corp', userId: '1' }],
    },
  ],
}
const link = { provider: 'corp', subject: '1' }
const authjs = [
  { id: 'a', email: null, name: null, verified: false, passwordHash: null, links: [] },
  { id: 'b', email: 'ben@example.com', name: null, verified: true, passwordHash: null, links: [link] },
]
const supertokens = [
  { id: 'a', methods: [], apps: [], requiredFactors: null, roles: [] },
  {
    ...{ id: 'b', apps: [], requiredFactors: null, roles: ['admin'] },
    methods: [{ recipe: 'thirdparty', email: 'ben@example.com', verified: true, passwordHash: null, ...link }],
  },
]
const toLines = (users: readonly unknown[]) => users.map((user) => `${JSON.stringify(user)}\n`).join('')

test.each([
  ['authjs', toLines(authjs), 'no-address'],
  ['keycloak', JSON.stringify(keycloak), 'second-factor'],
  ['supertokens', toLines(supertokens), 'no-address'],
])(
  'the command with FROM=%s moves the users of a file and prints each user and link that is not moved',
  async (from, text, why) => {
    expect(await run(from, text)).toEqual([
      '1 users moved, 1 of them without a password',
      `user a not moved: ${why}`,
      'user b not linked to corp: unknown-provider',
    ])
  },
)

test('the command with an unknown FROM fails and prints the known names', async () => {
  await expect(run('keycloack', '{}')).rejects.toThrow('FROM must be one of: ')
})
