import crypto from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { closeHashers, createWeakWorkerHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64').replace(/=+$/, '')
const textBase64 = (text: string) => base64(Buffer.from(text).toString('hex'))

/** `$argon2id$v=19$…` of the vectors of the reference implementation, `src/test.c`: password, salt, m, t, p, hash. */
const argon2Vectors = [
  ['argon2id', 'password', 'somesalt', 256, 2, 1, '9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe'],
  ['argon2id', 'password', 'somesalt', 256, 2, 2, '6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037'],
  ['argon2i', 'password', 'somesalt', 256, 2, 1, '89e9029f4637b295beb027056a7336c414fadd43f6b208645281cb214a56452f'],
  ['argon2i', 'password', 'somesalt', 256, 2, 2, '4ff5ce2769a1d7f4c8a491df09d41a9fbe90e5eb02155a13e4c01e20cd4eab61'],
] as const
/** Node.js 22 has no Argon2 of its own. */
const isNative = 'argon2Sync' in crypto
const portableEngines = ['hash-wasm', '@noble/hashes', '@node-rs/argon2'] as const
const argon2Engines = isNative ? (['node:crypto', ...portableEngines] as const) : portableEngines

describe.each(argon2Engines)('Argon2 of %s', (engine) => {
  const hasher = createWeakWorkerHasher({ engines: { argon2id: engine, argon2i: engine } })

  test.each(argon2Vectors)('%s of %j with %j, m=%d, t=%d, p=%d is the one of the reference', async (...vector) => {
    const [kind, password, salt, memory, iterations, lanes, hash] = vector
    const text = `$${kind}$v=19$m=${memory},t=${iterations},p=${lanes}$${textBase64(salt)}$${base64(hash)}`
    expect(await hasher.verify(password, text)).toMatchObject({ ok: true })
    expect(await hasher.verify('Password', text)).toEqual({ ok: false, needsRehash: false })
  })
})

// The vectors of the RFC have a secret and associated data, which a password hash has not.
if (isNative) {
  test('the native engine, which the others are compared with, computes the results of RFC 9106 §5.2 and §5.3', () => {
    const input = {
      message: Buffer.alloc(32, 1),
      nonce: Buffer.alloc(16, 2),
      secret: Buffer.alloc(8, 3),
      associatedData: Buffer.alloc(12, 4),
      memory: 32,
      passes: 3,
      parallelism: 4,
      tagLength: 32,
    }
    expect(crypto.argon2Sync('argon2i', input).toString('hex')).toBe(
      'c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8',
    )
    expect(crypto.argon2Sync('argon2id', input).toString('hex')).toBe(
      '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659',
    )
  })
}

describe.each(['node:crypto', 'hash-wasm', '@noble/hashes'] as const)('scrypt of %s', (engine) => {
  const hasher = createWeakWorkerHasher({ engines: { scrypt: engine } })

  // RFC 7914 §12: the two whose password is not empty and that stay within 256 MiB.
  test.each([
    [
      'password',
      '$scrypt$ln=10,r=8,p=16',
      'NaCl',
      'fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640',
    ],
    [
      'pleaseletmein',
      '$scrypt$ln=14,r=8,p=1',
      'SodiumChloride',
      '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    ],
  ])('scrypt of %j with %s is the one of RFC 7914', async (password, parameters, salt, hash) => {
    const text = `${parameters}$${textBase64(salt)}$${base64(hash)}`
    expect(await hasher.verify(password, text)).toMatchObject({ ok: true })
    expect(await hasher.verify(`${password}!`, text)).toMatchObject({ ok: false })
  })
})

describe.each(['node:crypto', 'web-crypto'] as const)('PBKDF2 of %s', (engine) => {
  const hasher = createWeakWorkerHasher({ engines: { pbkdf2: engine } })

  // RFC 6070 (SHA-1) and RFC 7914 §11 (SHA-256).
  test.each([
    ['password', '$pbkdf2-sha1$i=4096', 'salt', '4b007901b765489abead49d926f721d065a429c1'],
    [
      'passwordPASSWORDpassword',
      '$pbkdf2-sha1$i=4096,l=25',
      'saltSALTsaltSALTsaltSALTsaltSALTsalt',
      '3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038',
    ],
    [
      'passwd',
      '$pbkdf2-sha256$i=1,l=64',
      'salt',
      '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783',
    ],
    [
      'Password',
      '$pbkdf2-sha256$i=80000',
      'NaCl',
      '4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d',
    ],
  ])('PBKDF2 of %j with %s is the one of its RFC', async (password, parameters, salt, hash) => {
    const text = `${parameters}$${textBase64(salt)}$${base64(hash)}`
    expect(await hasher.verify(password, text)).toMatchObject({ ok: true })
    expect(await hasher.verify(`${password}!`, text)).toMatchObject({ ok: false })
  })
})

describe.each(['hash-wasm', '@node-rs/bcrypt'] as const)('bcrypt of %s', (engine) => {
  const hasher = createWeakWorkerHasher({ engines: { bcrypt: engine } })

  // Openwall's crypt_blowfish and jBCrypt, the vectors that implementations are checked against.
  test.each([
    ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
    ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
    ['a', '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe'],
    ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
    ['abcdefghijklmnopqrstuvwxyz', '$2a$06$.rCVZVOThsIa97pEDOxvGuRRgzG64bvtJ0938xuqzv18d3ZpQhstC'],
    ['~!@#$%^&*()      ~!@#$%^&*()PNBFRD', '$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO'],
  ])('bcrypt of %j is the published hash under 2a, 2b and 2y', async (password, text) => {
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      expect(await hasher.verify(password, text.replace('$2a$', version))).toMatchObject({ ok: true })
      expect(await hasher.verify(`${password}.`, text.replace('$2a$', version))).toMatchObject({ ok: false })
    }
  })
})
