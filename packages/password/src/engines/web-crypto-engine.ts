import { cannotRun, type PasswordEngine } from './engine.ts'

const hashes = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const

/** Gives the engine of Web Crypto, which every runtime has and which computes off the calling thread: PBKDF2 only. */
export function createWebCryptoEngine(): PasswordEngine {
  return {
    name: 'web-crypto',
    kinds: ['pbkdf2'],
    async run(job) {
      if (job.kind !== 'pbkdf2') throw cannotRun('web-crypto', job)
      const key = await crypto.subtle.importKey('raw', new Uint8Array(job.password), 'PBKDF2', false, ['deriveBits'])
      const { digest, iterations, length } = job
      const parameters = { name: 'PBKDF2', hash: hashes[digest], salt: new Uint8Array(job.salt), iterations }
      return new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 8 * length))
    },
  }
}
