import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-server.ts'
import { startRedis } from './redis-server.ts'
import type { TestServer } from './server-process.ts'
import type { TestService } from './use-service.ts'

/** Starts the shared servers, passes their URLs to the tests, and returns a function that stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, redis] = await Promise.all([
    // Three files at a time have several processes on it, each with pools of its own.
    open('TEST_POSTGRES_URL', 'PostgreSQL', () => startPostgres({ max_connections: '600' })),
    open('TEST_REDIS_URL', 'Redis', startRedis),
  ])
  project.provide('postgres', postgres.service)
  project.provide('redis', redis.service)
  return async () => void (await Promise.all([postgres.close(), redis.close()]))
}

async function open(
  variable: string,
  name: string,
  start: () => Promise<TestServer | null>,
): Promise<{ readonly service: TestService; close(): Promise<void> }> {
  const given = process.env[variable]
  if (given) return { service: { url: given }, close: async () => {} }
  const server = await start()
  // The next project of the run uses it, too.
  if (server) process.env[variable] = server.url
  const missing = `${name} is not installed and ${variable} is not set`
  return {
    service: server ? { url: server.url } : { url: null, missing },
    async close() {
      if (server) delete process.env[variable]
      await server?.stop()
    },
  }
}
