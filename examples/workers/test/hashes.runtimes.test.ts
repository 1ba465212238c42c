import { allowWeakHashes, createPasswordHasher, verifyPassword } from '@latchkey/password'
import { afterAll, describe, expect, test } from 'vitest'
import { bundle, startWorkers } from './support/start-workers.ts'

const password = 'otters read quietly at dawn'
const weak = { strength: allowWeakHashes } as const
const scrypt = createPasswordHasher({ ...weak, scrypt: { cost: 1024 } })
const bcrypt = createPasswordHasher({ ...weak, bcrypt: { cost: 4 } })
afterAll(() => Promise.all([scrypt.close(), bcrypt.close()]))

/** What each of them has for passwords: Workers may be given some modules of Node.js. */
const runtimes = [
  ['Workers', [], { argon2id: '@noble/hashes', scrypt: '@noble/hashes', bcrypt: 'none', pbkdf2: 'web-crypto' }],
  [
    'Workers with modules of Node.js',
    ['nodejs_compat'],
    { argon2id: '@noble/hashes', scrypt: 'node:crypto', bcrypt: 'none', pbkdf2: 'node:crypto' },
  ],
] as const

describe.each(runtimes)('on %s', (_name, flags, engines) => {
  test('passwords are hashed and verified without WebAssembly that is compiled at run time', async () => {
    const { text } = await bundle('test/support/hashes-worker.ts')
    const workers = await startWorkers(text, { flags, stores: false })
    try {
      const stored = [
        await scrypt.hash(password),
        await createPasswordHasher().wrap('16c7ceeb1a26dd6d2cbe61268131cbfe', { algorithm: 'md5' }),
        await bcrypt.hash(password),
      ]
      const response = await workers.fetch('/', { method: 'POST', body: JSON.stringify({ password, stored }) })
      const answer = (await response.json()) as { fresh: string; verdicts: unknown[]; engines: object }
      expect(answer.engines).toMatchObject({ ...engines, place: 'thread' })
      expect(answer.verdicts).toEqual([true, true, true, expect.stringContaining('no engine for bcrypt')])
      expect(await verifyPassword(password, answer.fresh)).toEqual({ ok: true, needsRehash: false })
    } finally {
      await workers.stop()
    }
  })
})
