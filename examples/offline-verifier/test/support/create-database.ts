import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** Creates an empty database on a server and returns its URL. */
export async function createPostgresDatabase(server: string): Promise<string> {
  const name = `offline_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return Object.assign(new URL(server), { pathname: `/${name}` }).href
}
