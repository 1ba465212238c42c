// Runs `npm start` as a newcomer does, until the first response, then sends SIGTERM. Prints the number of installed
// packages and the seconds it took. In a clone in which a script has run before, it checks only the start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** More packages than this mean that the quickstart depends on packages for tests or benchmarks. */
const packagesAtMost = 250
const waitMs = 300_000

const isNew = !existsSync('node_modules')
const startedAt = performance.now()
const service = spawn('npm', ['start'], {
  env: { ...process.env, PORT: '0', DATA_DIR: ':memory:' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(service, 'exit')
const url = await ready(service)
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
await check(url)
service.kill('SIGTERM')
const [code] = await ended
if (code !== 0) fail(`after SIGTERM it exited with ${code}, not with 0`)
const packages = readdirSync('node_modules/.pnpm').filter((name) => name.includes('@')).length
console.log(`npm start: ${packages} packages, ready after ${seconds} s`)
if (isNew && packages > packagesAtMost) fail(`it installs ${packages} packages, and ${packagesAtMost} are the limit`)

async function ready({ stdout }) {
  const timer = setTimeout(() => fail(`it was not ready after ${waitMs / 1000} s`), waitMs)
  for await (const line of createInterface({ input: stdout })) {
    const [, found] = /^Latchkey is listening on (\S+)/.exec(line) ?? []
    if (found) {
      clearTimeout(timer)
      stdout.resume()
      return found
    }
  }
  return fail('it ended before it was ready')
}

async function check(url) {
  const response = await fetch(`${url}?query={articles(first:1){title}}`)
  const { data } = await response.json()
  if (response.status !== 200 || data?.articles?.length !== 1) fail(`it answered ${response.status} to a query`)
}

function fail(reason) {
  service.kill('SIGTERM')
  console.error(`npm start: ${reason}`)
  process.exit(1)
}
