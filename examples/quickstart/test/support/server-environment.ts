import { randomBytes, randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Environment } from './start-quickstart.ts'

/**
 * Returns the variables that the quickstart needs to run on a PostgreSQL, in an empty database of its own, and with the records on a
 * Redis unless that is left out.
 *
 * @param port where the service is to reach the server, if not at its own: a proxy.
 */
export async function createServerEnvironment(
  postgresUrl: string,
  { redisUrl, port }: { readonly redisUrl?: string; readonly port?: number } = {},
): Promise<Environment> {
  const name = `quickstart_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: postgresUrl })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = Object.assign(new URL(postgresUrl), { pathname: `/${name}`, ...(port && { port: String(port) }) })
  return {
    DATABASE_URL: url.href,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    LATCHKEY_SECRET: randomBytes(32).toString('base64url'),
    PUBLIC_URL: 'http://127.0.0.1:4000',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: '/nonexistent',
  }
}
