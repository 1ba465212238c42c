/** The engines that have SQL for each migration. */
export type SqlEngine = 'sqlite' | 'postgres'

/** The SQL of one version. */
interface Migration extends Readonly<Record<SqlEngine, string>> {
  /** The oldest version whose code may go on using the tables: for a migration that only adds. Omitted: this version. */
  readonly usableBy?: number
}

/** In the SQL that SQLite and PostgreSQL share: instants are epoch milliseconds in bigint, lists are JSON in text. */
const tables = `create table latchkey_records (
  key text not null primary key,
  owner text,
  version bigint not null,
  expires_at bigint not null,
  value text not null
);
create index latchkey_records_owner on latchkey_records (owner, key);
create index latchkey_records_expires_at on latchkey_records (expires_at);
create table latchkey_documents (
  collection text not null,
  id text not null,
  owner text,
  version text not null,
  value text not null,
  primary key (collection, id)
);
create index latchkey_documents_owner on latchkey_documents (owner, collection, id);
create table latchkey_counters (
  key text not null primary key,
  hits bigint not null,
  reset_at bigint not null
);
create index latchkey_counters_reset_at on latchkey_counters (reset_at);
create table latchkey_accounts (
  id text not null primary key,
  email text not null unique,
  name text not null,
  roles text not null,
  status text not null check (status in ('unverified', 'active', 'disabled', 'locked')),
  password_hash text,
  epoch bigint not null,
  kept_key text,
  enrolled text not null default '[]'
);
create index latchkey_accounts_roles on latchkey_accounts (roles, id) where status = 'active';
create table latchkey_addresses (
  email text not null primary key,
  account_id text not null,
  since bigint,
  reserved_until bigint
);
create index latchkey_addresses_account_id on latchkey_addresses (account_id);
create index latchkey_addresses_reserved_until on latchkey_addresses (reserved_until);
create table latchkey_audit (
  chain text not null,
  sequence bigint not null,
  at bigint not null,
  entry text not null,
  state text not null check (state in ('intended', 'done', 'failed', 'checkpoint')),
  kind text not null,
  account_id text,
  value text not null,
  personal text,
  primary key (chain, sequence)
);
create index latchkey_audit_at on latchkey_audit (at, chain, sequence);
create index latchkey_audit_account_id on latchkey_audit (account_id, at);
create index latchkey_audit_entry on latchkey_audit (entry);
create table latchkey_audit_heads (
  chain text not null primary key,
  sequence bigint not null,
  at bigint not null,
  value text not null
);
create index latchkey_audit_heads_at on latchkey_audit_heads (at, chain);`

/** A trigger, so that the head moves in the statement that appends. */
const moveHead = `insert into latchkey_audit_heads (chain, sequence, at, value)
  values (new.chain, new.sequence, new.at, new.value)
  on conflict (chain) do update set sequence = excluded.sequence, at = excluded.at, value = excluded.value
  where excluded.sequence > latchkey_audit_heads.sequence;`

/**
 * Every address that an account has or is reserved for one is in one table, so that a primary key decides whose it is. Triggers
 * write it in the statement that changes the account.
 */
const takeAddress = 'insert into latchkey_addresses (email, account_id) values (new.email, new.id);'

/**
 * An account that moves back to a reserved address keeps only that address. An abandoned address stays for the time of
 * its reservation.
 */
const moveAddress = `delete from latchkey_addresses where account_id = new.id and email <> new.email and exists (
    select 1 from latchkey_addresses kept
    where kept.email = new.email and kept.account_id = new.id and kept.reserved_until is not null
  );
  update latchkey_addresses set since = null, reserved_until = null where email = new.email and account_id = new.id;
  insert into latchkey_addresses (email, account_id) select new.email, new.id where not exists (
    select 1 from latchkey_addresses where email = new.email and account_id = new.id
  );
  delete from latchkey_addresses
  where email = old.email and email <> new.email and account_id = new.id and reserved_until is null;`

const freeAddresses = 'delete from latchkey_addresses where account_id = old.id;'

const initial: Migration = {
  sqlite: `${tables}
create trigger latchkey_audit_head after insert on latchkey_audit begin
  ${moveHead}
end;
create trigger latchkey_address_taken after insert on latchkey_accounts begin
  ${takeAddress}
end;
create trigger latchkey_address_moved after update of email on latchkey_accounts begin
  ${moveAddress}
end;
create trigger latchkey_address_freed after delete on latchkey_accounts begin
  ${freeAddresses}
end;`,
  postgres: `${tables}
create function latchkey_audit_head() returns trigger language plpgsql as $$ begin
  ${moveHead}
  return null;
end $$;
create trigger latchkey_audit_head after insert on latchkey_audit
for each row execute function latchkey_audit_head();
create function latchkey_address_taken() returns trigger language plpgsql as $$ begin
  ${takeAddress}
  return null;
end $$;
create function latchkey_address_moved() returns trigger language plpgsql as $$ begin
  ${moveAddress}
  return null;
end $$;
create function latchkey_address_freed() returns trigger language plpgsql as $$ begin
  ${freeAddresses}
  return null;
end $$;
create trigger latchkey_address_taken after insert on latchkey_accounts
for each row execute function latchkey_address_taken();
create trigger latchkey_address_moved after update of email on latchkey_accounts
for each row execute function latchkey_address_moved();
create trigger latchkey_address_freed after delete on latchkey_accounts
for each row execute function latchkey_address_freed();`,
}

/** The migrations; the version is the position in this list, from 1. A released migration is never edited. */
const migrations: readonly Migration[] = [initial]

/** The version of the tables that this code requires. */
export const latestVersion: number = migrations.length

const createVersionTable =
  'create table if not exists latchkey_migrations (version bigint not null primary key, usable_by bigint);'

/** The version that a database reports for its tables. */
export interface TablesVersion {
  /** 0 without tables. */
  readonly version: number
  /** The oldest version of the tables whose code may use them; at most `version`. */
  readonly usableBy: number
}

/** Returns the version in the newest row of `latchkey_migrations`; version 0 without a row. */
export function toTablesVersion(row: Readonly<Record<string, unknown>> | undefined): TablesVersion {
  const version = Number(row?.version ?? 0)
  return { version, usableBy: Number(row?.usable_by ?? version) }
}

/** The newest row. */
export const readTables = 'select version, usable_by from latchkey_migrations order by version desc limit 1'

/** Returns the statements that migrate a database from a version to the version of this code; 0 for no tables. */
export function upgradeFrom(version: number, engine: SqlEngine): string {
  const steps = migrations.slice(version).map((migration, step) => {
    const row = `(version, usable_by) values (${version + step + 1}, ${migration.usableBy ?? 'null'})`
    return `${migration[engine]}\ninsert into latchkey_migrations ${row};`
  })
  return [createVersionTable, ...steps].join('\n')
}
