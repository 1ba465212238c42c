import { DatabaseSync } from 'node:sqlite'

/**
 * The table as the application has had it for years: ids that other tables point to, a column `mail` in whatever case people have
 * typed, and hashes of bcrypt.
 */
export const usersTable = `
create table if not exists users (
  id integer primary key autoincrement,
  mail text not null,
  full_name text not null,
  pw text,
  is_admin integer not null default 0,
  is_active integer not null default 1
)`

/**
 * The additional columns of an account: its id for tokens and sessions, its roles, and the epoch that revokes its sessions
 * and tokens.
 */
export const addedColumns: Readonly<Record<string, string>> = {
  account_id: 'text',
  roles: "text not null default '[]'",
  status: "text not null default 'unverified'",
  epoch: 'integer not null default 0',
  kept_key: 'text',
  enrolled: "text not null default '[]'",
}

/** Opens a database; another process that writes to it is waited for. */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000')
  return database
}
