import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { moveFromBetterAuth } from './from-better-auth.ts'
import { type KeycloakUser, moveFromKeycloak } from './from-keycloak.ts'
import { moveFromPassport } from './from-passport.ts'
import type { MovedUsers } from './move-account.ts'
import type { MovedWithLinks } from './provider-links.ts'
import { service } from './server.ts'

const { FROM = 'passport', OLD_DATABASE = 'old.db', OLD_USERS = 'users.json', BETTER_AUTH_SECRET = '' } = process.env

const parts = {
  accounts: service.server.stores.accounts,
  totp: await service.openTotp(),
  links: await service.server.accounts(),
  /** The providers of the service, with their names in the old system. */
  issuers: { google: 'https://accounts.google.com', github: 'https://github.com/login/oauth' },
  unproven: 'unverified',
} as const

const openDatabase = () => new DatabaseSync(OLD_DATABASE, { readOnly: true })
const rolesOf = ({ realmRoles }: KeycloakUser) => [realmRoles?.includes('shop-admin') ? 'ADMIN' : 'MEMBER']

const moves: Readonly<Record<string, () => Promise<MovedUsers | MovedWithLinks>>> = {
  passport: () => moveFromPassport(openDatabase(), parts.accounts),
  'better-auth': () => moveFromBetterAuth({ ...parts, database: openDatabase(), secret: BETTER_AUTH_SECRET }),
  keycloak: () => moveFromKeycloak({ ...parts, rolesOf, users: JSON.parse(readFileSync(OLD_USERS, 'utf8')).users }),
}

const result = await moves[FROM]?.()
await service.server.close()
if (!result) throw new Error(`FROM must be one of: ${Object.keys(moves).join(', ')}`)
console.log(`${result.moved} users moved, ${result.withoutPassword} of them without a password`)
for (const { id, why } of result.left) console.log(`user ${id} not moved: ${why}`)
if ('unlinked' in result) {
  for (const { id, provider, why } of result.unlinked) console.log(`user ${id} not linked to ${provider}: ${why}`)
}
