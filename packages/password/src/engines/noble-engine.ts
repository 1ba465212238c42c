import { cannotRun, type PasswordEngine } from './engine.ts'

/**
 * Creates the engine of `@noble/hashes`: JavaScript, for runtimes that may not compile WebAssembly. It takes several times
 * as long and runs on the calling thread without a pause: a pause would leave the hash to a timer, which platforms that
 * end with the request never fire.
 */
export async function loadNobleEngine(): Promise<PasswordEngine> {
  const [{ argon2i, argon2id }, { scrypt }] = await Promise.all([
    import('@noble/hashes/argon2.js'),
    import('@noble/hashes/scrypt.js'),
  ])
  const argon2 = { argon2i, argon2id }
  return {
    name: '@noble/hashes',
    kinds: ['argon2id', 'argon2i', 'scrypt'],
    run(job) {
      const { password, salt } = job
      switch (job.kind) {
        case 'argon2id':
        case 'argon2i': {
          const { memoryKib: m, iterations: t, parallelism: p, length: dkLen } = job
          return argon2[job.kind](password, salt, { m, t, p, dkLen })
        }
        case 'scrypt': {
          const { cost: N, blockSize: r, parallelism: p, length: dkLen } = job
          // Beside the matrix the blocks of each lane count; the default of 1 GiB and a little is no limit of ours.
          return scrypt(password, salt, { N, r, p, dkLen, maxmem: 128 * r * (N + p + 2) })
        }
        default:
          throw cannotRun('@noble/hashes', job)
      }
    },
  }
}
