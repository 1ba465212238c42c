import { describeHash } from '@latchkey/password'
import { cpuMilliseconds } from '@latchkey/test-services'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createCountingEngine, everywhere } from './own-engine.ts'
import { closeHashers, createWeakHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const salt = 'c29tZXNhbHRzb21lc2FsdA'
const hash = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHApl8ArZWb2GRPPc'
const argon2id = `$argon2id$v=19$m=64,t=1,p=1$${salt}$${hash}`
const bcrypt = '$2b$05$F2eE1lTFpC8S1whdtfrc3OYIATQfNNoYD542HGhPnCV0cGT6PdT8G'
const aspNet3 = (fields: { digest?: number; iterations?: number; salt?: number }) => {
  const bytes = Buffer.alloc(13 + 16 + 32, 7)
  bytes[0] = 1
  bytes.writeUInt32BE(fields.digest ?? 1, 1)
  bytes.writeUInt32BE(fields.iterations ?? 10_000, 5)
  bytes.writeUInt32BE(fields.salt ?? 16, 9)
  return bytes.toString('base64')
}
const firebase = (parameters: string) =>
  `$fbscrypt$${parameters}$42xEC+ixf3L2lw==$${Buffer.alloc(64, 1).toString('base64')}`
const signerKey = Buffer.alloc(64, 2).toString('base64')

/** Texts that a column may hold and that nothing verifies against. */
const unreadable: [what: string, stored: unknown][] = [
  ['nothing', ''],
  ['the mark of a disabled account', '*'],
  ['an exclamation mark', '!'],
  ['a space', ' '],
  ['a number', 42],
  ['an object', { algorithm: 'argon2id' }],
  ['undefined', undefined],
  ['a password in clear', 'hunter2hunter2'],
  ['a bare MD5 digest', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['a bare SHA-1 digest', '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'],
  ['a bare SHA-256 digest', '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8'],
  ['a bare SHA-256 digest in base64', 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg='],
  ['an MD5 crypt', '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/'],
  [
    'a SHA-512 crypt',
    '$6$rounds=5000$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/',
  ],
  ['a phpass hash', '$P$984478476IagS59wHZvyQMArzfx58u.'],
  ['an unknown algorithm', `$argon3$v=19$m=64,t=1,p=1$${salt}$${hash}`],
  ['Argon2d', `$argon2d$v=19$m=64,t=1,p=1$${salt}$${hash}`],
  ['a name of the prototype', `$__proto__$v=19$m=64,t=1,p=1$${salt}$${hash}`],
  ['constructor', `$constructor$${salt}$${hash}`],
  ['Argon2 cut off in the hash', argon2id.slice(0, -30)],
  ['Argon2 cut off before the hash', argon2id.slice(0, argon2id.lastIndexOf('$'))],
  ['Argon2 with an empty hash', argon2id.slice(0, argon2id.lastIndexOf('$') + 1)],
  ['Argon2 with something after it', `${argon2id}$more`],
  ['Argon2 with a line break after it', `${argon2id}\n`],
  ['Argon2 with a space before it', ` ${argon2id}`],
  ['Argon2 with a version that is no number', argon2id.replace('v=19', 'v=19x')],
  ['Argon2 without version', argon2id.replace('v=19$', '')],
  ['Argon2 of version 16', argon2id.replace('v=19', 'v=16')],
  ['Argon2 with 4 GiB', argon2id.replace('m=64', 'm=4194304')],
  ['Argon2 with just over 256 MiB', argon2id.replace('m=64', 'm=262145')],
  ['Argon2 with m=12abc', argon2id.replace('m=64', 'm=12abc')],
  ['Argon2 with m=064', argon2id.replace('m=64', 'm=064')],
  ['Argon2 with m=-64', argon2id.replace('m=64', 'm=-64')],
  ['Argon2 with m=6.4e1', argon2id.replace('m=64', 'm=6.4e1')],
  ['Argon2 with m=1e400', argon2id.replace('m=64', `m=${'9'.repeat(400)}`)],
  ['Argon2 with m=', argon2id.replace('m=64', 'm=')],
  ['Argon2 with less memory than lanes need', argon2id.replace('p=1', 'p=8').replace('m=64', 'm=63')],
  ['Argon2 with t=0', argon2id.replace('t=1', 't=0')],
  ['Argon2 with t=11', argon2id.replace('t=1', 't=11')],
  ['Argon2 with p=9', argon2id.replace('m=64', 'm=512').replace('p=1', 'p=9')],
  ['Argon2 with p=0', argon2id.replace('p=1', 'p=0')],
  ['Argon2 with a parameter twice', argon2id.replace('t=1', 'm=64')],
  ['Argon2 with a parameter too many', argon2id.replace('p=1', 'p=1,keyid=AAAA')],
  ['Argon2 with parameters in another order', argon2id.replace('m=64,t=1', 't=64,m=1')],
  ['Argon2 with a salt of 7 bytes', argon2id.replace(salt, 'c29tZXNhbA')],
  ['Argon2 with a salt of 65 bytes', argon2id.replace(salt, 'A'.repeat(87))],
  ['Argon2 with 15 bytes of hash', argon2id.replace(hash, hash.slice(0, 20))],
  ['Argon2 with 65 bytes of hash', argon2id.replace(hash, 'A'.repeat(87))],
  ['Argon2 with padded base64', argon2id.replace(salt, `${salt}==`)],
  ['Argon2 with set bits after the salt', argon2id.replace(salt, `${salt.slice(0, -1)}B`)],
  ['Argon2 with base64 of URLs', argon2id.replace(salt, `${salt.slice(0, -2)}_A`)],
  ['scrypt with N = 2^31', `$scrypt$ln=31,r=8,p=1$${salt}$${hash}`],
  ['scrypt with more than 256 MiB', `$scrypt$ln=19,r=8,p=1$${salt}$${hash}`],
  ['scrypt with too much work', `$scrypt$ln=18,r=8,p=16$${salt}$${hash}`],
  ['scrypt with ln=0', `$scrypt$ln=0,r=8,p=1$${salt}$${hash}`],
  ['scrypt with ln=12abc', `$scrypt$ln=12abc,r=8,p=1$${salt}$${hash}`],
  ['scrypt with r=0', `$scrypt$ln=10,r=0,p=1$${salt}$${hash}`],
  ['scrypt with a version that is no number', `$scrypt$v=x$ln=10,r=8,p=1$${salt}$${hash}`],
  ['scrypt with a version', `$scrypt$v=1$ln=10,r=8,p=1$${salt}$${hash}`],
  ['bcrypt with cost 31', bcrypt.replace('$05$', '$31$')],
  ['bcrypt with cost 16', bcrypt.replace('$05$', '$16$')],
  ['bcrypt with cost 03', bcrypt.replace('$05$', '$03$')],
  ['bcrypt with cost 12abc', bcrypt.replace('$05$', '$12abc$')],
  ['bcrypt with cost 5', bcrypt.replace('$05$', '$5$')],
  ['bcrypt with cost +5', bcrypt.replace('$05$', '$+5$')],
  ['bcrypt of the broken kind', bcrypt.replace('$2b$', '$2x$')],
  ['bcrypt of an unknown kind', bcrypt.replace('$2b$', '$2z$')],
  ['bcrypt without letter', bcrypt.replace('$2b$', '$2$')],
  ['bcrypt cut off by one', bcrypt.slice(0, -1)],
  ['bcrypt with one too many', `${bcrypt}.`],
  ['bcrypt with a character of no alphabet', bcrypt.replace('F2eE', 'F2e+')],
  ['bcrypt with set bits after the hash', `${bcrypt.slice(0, -1)}H`],
  ['PBKDF2 with too many iterations', `$pbkdf2-sha256$i=5000001$${salt}$${hash}`],
  ['PBKDF2 with no iterations', `$pbkdf2-sha256$i=0$${salt}$${hash}`],
  ['PBKDF2 with i=1000x', `$pbkdf2-sha256$i=1000x$${salt}$${hash}`],
  ['PBKDF2 with MD5', `$pbkdf2-md5$i=1000$${salt}$${hash}`],
  ['PBKDF2 of a name of the prototype', `$pbkdf2constructor$i=1000$${salt}$${hash}`],
  ['PBKDF2 with something after it', `$pbkdf2-sha256$i=1000$${salt}$${hash}$more`],
  ['PBKDF2 cut off', `$pbkdf2-sha256$i=1000$${salt}`],
  ['PBKDF2 with another parameter', `$pbkdf2-sha256$i=1000,k=32$${salt}$${hash}`],
  ['Django with too many iterations', `pbkdf2_sha256$99999999$salt$${hash}=`],
  ['Django with 12abc iterations', `pbkdf2_sha256$12abc$salt$${hash}=`],
  ['Django without salt', `pbkdf2_sha256$1000$$${hash}=`],
  ['Django, cut off', 'pbkdf2_sha256$1000$salt'],
  ['Django’s unusable password', '!Yc9kW3xYQ2V0dGVyc3F1aWV0bHlhdGRhd24hISEhISEh'],
  ['Django’s MD5', 'md5$salt$5f4dcc3b5aa765d61d8327deb882cf99'],
  ['Django’s scrypt with 2^40', `scrypt$1099511627776$salt$8$1$${hash}=`],
  ['ASP.NET 3 with an unknown digest', aspNet3({ digest: 3 })],
  ['ASP.NET 3 with 2^32 - 1 iterations', aspNet3({ iterations: 2 ** 32 - 1 })],
  ['ASP.NET 3 with no iterations', aspNet3({ iterations: 0 })],
  ['ASP.NET 3 with a salt longer than the text', aspNet3({ salt: 1000 })],
  ['ASP.NET 3 with a salt that leaves no hash', aspNet3({ salt: 48 })],
  ['ASP.NET 3, the marker alone', 'AQ=='],
  ['ASP.NET 2, cut off', 'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1u'],
  ['ASP.NET of version 4', `Ag${'A'.repeat(66)}`],
  ['Firebase without signer key', firebase('v=1,n=14,r=8,p=1,ss=Bw==')],
  ['Firebase with a short signer key', firebase('v=1,n=14,r=8,p=1,ss=Bw==,sk=AAAA')],
  ['Firebase with n=30', firebase(`v=1,n=30,r=8,p=1,ss=Bw==,sk=${signerKey}`)],
  ['Firebase with n=12abc', firebase(`v=1,n=12abc,r=8,p=1,ss=Bw==,sk=${signerKey}`)],
  ['Firebase with a parameter twice', firebase(`v=1,n=14,n=14,r=8,p=1,ss=Bw==,sk=${signerKey}`)],
  ['Firebase of version 2', firebase(`v=2,n=14,r=8,p=1,ss=Bw==,sk=${signerKey}`)],
  ['better-auth with capitals', `${'A'.repeat(32)}:${'a'.repeat(128)}`],
  ['better-auth, cut off', `${'a'.repeat(32)}:${'a'.repeat(126)}`],
  ['a wrapped digest without the hash around it', '$md5'],
  ['a wrapped digest with a malformed salt', `$md5$s=!,o=before${argon2id}`],
  ['a wrapped digest with its salt nowhere', `$md5$s=c2FsdA,o=inside${argon2id}`],
  ['a digest wrapped twice', `$md5$sha1${argon2id}`],
  ['a wrapped imported hash', `$md5$pbkdf2-sha256$i=1000$${salt}`],
  ['a wrapped Argon2i', `$md5$argon2i${argon2id.slice('$argon2id'.length)}`],
  ['a peppered PBKDF2 hash', `$hmac-sha256$k=a$pbkdf2-sha256$i=1000$${salt}$${hash}`],
  ['a peppered Django hash', `$hmac-sha256$k=a$pbkdf2_sha256$1000$salt$${hash}=`],
  ['a pepper without key', `$hmac-sha256$k=${argon2id}`],
  ['a pepper with a malformed key', `$hmac-sha256$k=a b${argon2id}`],
  ['a pepper twice', `$hmac-sha256$k=a$hmac-sha256$k=a${argon2id}`],
  ['a pepper before a digest', `$hmac-sha256$k=a$md5${argon2id}`],
  ['a pepper key that this hasher does not have', `$hmac-sha256$k=other${argon2id}`],
  ['a thousand separators', '$'.repeat(1000)],
  ['1 MB', `$argon2id$v=19$m=64,t=1,p=1$${'A'.repeat(1_000_000)}$${hash}`],
  ['50 MB', '$'.repeat(50_000_000)],
]

describe('a stored text that is no hash', () => {
  const engine = createCountingEngine()
  const hasher = createWeakHasher({ engines: everywhere(engine) })

  test.each(unreadable.filter(([what]) => !what.startsWith('a pepper key')))(
    '%s is described as null in under 50 ms without a hash computed',
    async (_what, stored) => {
      const cost = await cpuMilliseconds(() => expect(describeHash(stored as string)).toBeNull())
      expect(cost).toBeLessThan(50)
    },
  )

  test.each(unreadable)('%s is a wrong password at a login: no, after the work of one hash', async (_what, stored) => {
    const before = engine.jobs.length
    const unreadableBefore = hasher.stats.unreadable
    expect(await hasher.verify('hunter2hunter2', stored as string)).toEqual({ ok: false, needsRehash: false })
    expect(engine.jobs.slice(before)).toMatchObject([{ kind: 'argon2id', memoryKib: 64, iterations: 1 }])
    expect(hasher.stats.unreadable).toBe(unreadableBefore + 1)
  })
})

describe('any stored text', () => {
  const hasher = createWeakHasher()
  const pieces = fc.constantFrom(
    '$',
    '=',
    ',',
    'argon2id',
    'v=19',
    'm=64',
    't=1',
    'p=1',
    salt,
    hash,
    '2b',
    '05',
    'md5',
    'hmac-sha256',
    'k=a',
    'scrypt',
    'ln=4',
    'r=1',
    'pbkdf2-sha256',
    'i=10',
    'pbkdf2_sha256',
    ':',
    'fbscrypt',
    'AQ',
    '\0',
    'ä',
  )

  test('returns a description or null, and a verdict', async () => {
    const texts = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join('')),
      fc.array(pieces, { maxLength: 8 }).map((parts) => `$${parts.join('$')}`),
    )
    await fc.assert(
      fc.asyncProperty(texts, async (stored) => {
        const description = describeHash(stored)
        expect(description === null || typeof description.algorithm === 'string').toBe(true)
        expect(await hasher.verify('otters', stored)).toEqual({ ok: false, needsRehash: false })
      }),
      { numRuns: 400 },
    )
  })

  test('does not verify if it differs from a hash in one character', async () => {
    const stored = await hasher.hash('otters')
    const replacement = (character: string) => (character === 'A' ? 'B' : 'A')
    for (let index = 0; index < stored.length; index++) {
      const altered = stored.slice(0, index) + replacement(stored[index] ?? '') + stored.slice(index + 1)
      expect((await hasher.verify('otters', altered)).ok).toBe(false)
    }
  })
})

describe('describeHash', () => {
  test.each([
    [
      argon2id,
      {
        algorithm: 'argon2id',
        format: 'phc',
        parameters: { memoryKib: 64, iterations: 1, parallelism: 1, saltBytes: 16, outputBytes: 32 },
      },
    ],
    [bcrypt, { algorithm: 'bcrypt', format: 'bcrypt', parameters: { cost: 5 } }],
    [
      `$scrypt$ln=10,r=8,p=1$${salt}$${hash}`,
      { algorithm: 'scrypt', parameters: { cost: 1024, blockSize: 8, parallelism: 1 } },
    ],
    [aspNet3({}), { algorithm: 'pbkdf2-sha256', format: 'aspnet-identity-v3', parameters: { iterations: 10_000 } }],
    [`$hmac-sha256$k=2026-01${argon2id}`, { algorithm: 'argon2id', pepperKeyId: '2026-01', wrapped: null }],
    [`$md5${argon2id}`, { algorithm: 'argon2id', pepperKeyId: null, wrapped: 'md5' }],
    [`$sha1$s=c2FsdA,o=after$hmac-sha256$k=2026-01${argon2id}`, { pepperKeyId: '2026-01', wrapped: 'sha1' }],
  ])('returns the properties of %s', (stored, description) => {
    expect(describeHash(stored)).toMatchObject(description)
  })

  test('returns null for null', () => {
    expect(describeHash(null)).toBeNull()
  })
})
