import { expect, test, vi } from 'vitest'
import { runProgram } from './run-program.ts'

/** Many logins in one turn of the event loop, every third one with a wrong password. */
const storm = `
  import { existsSync, readdirSync } from 'node:fs'
  import { createPasswordHasher } from '@latchkey/password'
  const countThreads = () => (existsSync('/proc/self/task') ? readdirSync('/proc/self/task').length : 0)
  const threadsBefore = countThreads()
  const concurrency = 2
  const hasher = createPasswordHasher({ concurrency, queueLimit: 20 })
  const stored = await hasher.hash('otters read quietly')
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  const logins = await Promise.allSettled(
    Array.from({ length: 300 }, (_, index) => hasher.verify(index % 3 ? 'otters read quietly' : 'otters', stored)),
  )
  const peak = process.resourceUsage().maxRSS * 1024
  const settled = { ...hasher.stats }
  const accepted = logins.flatMap((login, index) => (login.status === 'fulfilled' ? [{ index, ...login.value }] : []))
  const refused = logins.flatMap((login) => (login.status === 'rejected' ? [login.reason] : []))
  await hasher.close()
  console.log(JSON.stringify({
    accepted: accepted.length,
    right: accepted.filter(({ index, ok }) => ok === (index % 3 !== 0)).length,
    refused: refused.filter(({ code, retryAfterSeconds }) => code === 'PASSWORD_HASHER_UNAVAILABLE' && retryAfterSeconds >= 1).length,
    grownMebibytes: (peak - before) / 2 ** 20,
    boundMebibytes: concurrency * 19 + 64,
    ...settled,
    threadsLeft: countThreads() - threadsBefore,
  }))
`

// These hashes wait for whatever else the machine does.
vi.setConfig({ testTimeout: 180_000 })

test('three hundred simultaneous logins: as many as fit into the queue are answered correctly and the rest are refused', async () => {
  const { exitCode, output, errors } = await runProgram(storm, ['--expose-gc'])
  expect(errors).toBe('')
  expect({ exitCode, ...output }).toMatchObject({
    exitCode: 0,
    accepted: 22,
    right: 22,
    refused: 278,
    running: 0,
    waiting: 0,
    threadsLeft: 0,
  })
  expect(output.grownMebibytes).toBeLessThan(Number(output.boundMebibytes))
})

test('WebAssembly takes fresh memory for each hash and releases it at once', async () => {
  const { output } = await runProgram(
    storm
      .replace(
        '{ concurrency, queueLimit: 20 }',
        "{ ...cheap, concurrency, queueLimit: 20, engines: { argon2id: 'hash-wasm' } }",
      )
      .replace(
        'const concurrency = 2',
        'const concurrency = 2; const cheap = { argon2id: { iterations: 1 }, strength: allowWeakHashes }',
      )
      .replace('{ createPasswordHasher }', '{ allowWeakHashes, createPasswordHasher }')
      .replace('length: 300', 'length: 20'),
    ['--expose-gc'],
  )
  expect(output).toMatchObject({ accepted: 20, right: 20 })
  expect(output.grownMebibytes).toBeLessThan(Number(output.boundMebibytes))
})
