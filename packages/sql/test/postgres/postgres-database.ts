import { randomUUID } from 'node:crypto'
import type { PostgresPool } from '@latchkey/sql'
import pg from 'pg'

type PgClient = Awaited<ReturnType<Extract<PostgresPool, { connect: unknown }>['connect']>>

/** Makes an empty database on a server and returns its URL. */
export async function createPostgresDatabase(server: string): Promise<string> {
  const name = `latchkey_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Returns the text of a statement, whether or not it is prepared under a name. */
export function textOf(query: Parameters<PgClient['query']>[0]): string {
  return typeof query === 'string' ? query : query.text
}
