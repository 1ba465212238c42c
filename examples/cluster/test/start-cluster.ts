import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { findFreePort } from '@latchkey/test-services'
import pg from 'pg'
import { vi } from 'vitest'
import { startBalancer } from './balancer.ts'

export interface Cluster {
  /** The address behind which all processes are. */
  readonly balancer: string
  /** The address of each process. */
  readonly origins: readonly [string, string, string, string]
  /** Sends SIGTERM and returns the exit code and the signal of the main process. */
  stop(): Promise<unknown>
}

/** Runs the program on a new database, with four free ports, and the balancer before it. */
export async function startCluster(postgres: string, redis: string): Promise<Cluster> {
  const [port = 0, ...ports] = await Promise.all([1, 2, 3, 4, 5].map(findFreePort))
  const balancer = `http://127.0.0.1:${port}`
  const origins = ports.map((own) => `http://127.0.0.1:${own}`)
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    DATABASE_URL: await createDatabase(postgres),
    REDIS_URL: redis,
    LATCHKEY_SECRET: randomBytes(32).toString('base64'),
    PUBLIC_URL: balancer,
    PORTS: ports.join(','),
  }
  const child = spawn(process.execPath, ['--conditions=@latchkey/source', main], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let printed = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (printed += chunk))
  const isListening = () => child.exitCode !== null || printed.includes(`Listening at ${origins.join(', ')}\n`)
  await vi.waitUntil(isListening, { timeout: 60_000 })
  if (child.exitCode !== null) throw new Error(`the program exited with ${child.exitCode}:\n${printed}`)
  const { stop: stopBalancer } = await startBalancer(port, ports)
  const stop = async () => {
    await stopBalancer()
    child.kill('SIGTERM')
    return exited
  }
  return { balancer, origins: origins as unknown as Cluster['origins'], stop }
}

async function createDatabase(postgres: string): Promise<string> {
  const name = `cluster_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: postgres })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(postgres), { pathname: `/${name}` }).href
}
