import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

/** Runs psql, as the guides do. */
export async function psql(url: string, ...options: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('psql', [url, '-v', 'ON_ERROR_STOP=1', '-q', ...options])
  return stdout
}

/** Creates a database with these tables on a server, removes it after the test, and returns its URL. */
export async function createOldDatabase(server: string, tables: string): Promise<string> {
  const name = `old_${randomUUID().replaceAll('-', '')}`
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  await psql(server, '-c', `create database ${name}`)
  onTestFinished(() => psql(server, '-c', `drop database ${name}`).then(() => {}))
  await psql(url, '-c', tables)
  return url
}

/** Runs a query of `src` with the options of the guide and returns the objects that it writes. */
export async function dump<User>(url: string, file: string, variables: readonly string[]): Promise<readonly User[]> {
  const path = fileURLToPath(new URL(`../src/${file}`, import.meta.url))
  const text = await psql(url, '-X', '-A', '-t', ...variables.flatMap((variable) => ['-v', variable]), '-f', path)
  return text.trim() === ''
    ? []
    : text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
}
