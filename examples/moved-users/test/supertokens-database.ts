import { randomUUID } from 'node:crypto'
import type { SuperTokensUser } from '../src/from-supertokens.ts'
import { createOldDatabase, dump, psql } from './psql.ts'

/** The columns of the PostgreSQL plugin of SuperTokens that `supertokens.sql` reads, with their types. */
const tables = `
create table app_id_to_user_id (
  app_id varchar(64) default 'public', user_id char(36) not null, recipe_id varchar(128) not null,
  primary_or_recipe_user_id char(36) not null, is_linked_or_is_a_primary_user boolean not null default false,
  primary key (app_id, user_id));
create table userid_mapping (
  app_id varchar(64) default 'public', supertokens_user_id char(36) not null, external_user_id varchar(128) not null,
  external_user_id_info text);
create table emailpassword_users (
  app_id varchar(64) default 'public', user_id char(36) not null, email varchar(256) not null,
  password_hash varchar(256) not null, time_joined bigint not null default 0);
create table thirdparty_users (
  app_id varchar(64) default 'public', third_party_id varchar(28) not null, third_party_user_id varchar(256) not null,
  user_id char(36) not null, email varchar(256) not null, time_joined bigint not null default 0);
create table passwordless_users (
  app_id varchar(64) default 'public', user_id char(36) not null, email varchar(256), phone_number varchar(256),
  time_joined bigint not null default 0);
create table emailverification_verified_emails (
  app_id varchar(64) default 'public', user_id varchar(128) not null, email varchar(256) not null);
create table totp_user_devices (
  app_id varchar(64) default 'public', user_id varchar(128) not null, device_name varchar(256) not null,
  secret_key varchar(256) not null, period integer not null, skew integer not null, verified boolean not null,
  created_at bigint);
create table user_metadata (app_id varchar(64) default 'public', user_id varchar(128) not null, user_metadata text not null);
create table user_roles (
  app_id varchar(64) default 'public', tenant_id varchar(64) default 'public', user_id varchar(128) not null,
  role varchar(255) not null);`

export interface SuperTokensDatabase {
  /** Inserts a row; the other columns have their defaults. */
  add(table: string, row: Readonly<Record<string, string | number | boolean>>): Promise<void>
  /** Adds a user with one sign-in method, linked to `primary` if it is given. Returns the id. */
  addUser(
    recipe: 'emailpassword' | 'thirdparty' | 'passwordless',
    row: Readonly<Record<string, string>>,
    options?: { readonly primary?: string; readonly verified?: boolean },
  ): Promise<string>
  /** Returns the users that `supertokens.sql` writes. */
  dump(): Promise<readonly SuperTokensUser[]>
}

/** Creates a database with the tables of SuperTokens on that server. */
export async function createSuperTokensDatabase(server: string): Promise<SuperTokensDatabase> {
  const url = await createOldDatabase(server, tables)
  const add: SuperTokensDatabase['add'] = async (table, row) => {
    const json = JSON.stringify(row).replaceAll("'", "''")
    const columns = Object.keys(row).join(', ')
    await psql(
      url,
      '-c',
      `insert into ${table} (${columns}) select ${columns} from json_populate_record(null::${table}, '${json}')`,
    )
  }
  return {
    add,
    async addUser(recipe, row, { primary, verified = true } = {}) {
      const user_id = randomUUID()
      await add('app_id_to_user_id', {
        ...{ user_id, recipe_id: recipe, primary_or_recipe_user_id: primary ?? user_id },
      })
      await add(`${recipe}_users`, { user_id, ...row })
      if (verified && row.email) await add('emailverification_verified_emails', { user_id, email: row.email })
      return user_id
    },
    dump: () => dump<SuperTokensUser>(url, 'supertokens.sql', ['app=public']),
  }
}
