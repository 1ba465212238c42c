import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { moveFromAuthJs } from './from-authjs.ts'
import { moveFromBetterAuth } from './from-better-auth.ts'
import { type KeycloakUser, moveFromKeycloak } from './from-keycloak.ts'
import { moveFromPassport } from './from-passport.ts'
import { moveFromSuperTokens, type SuperTokensUser } from './from-supertokens.ts'
import type { MovedUsers } from './move-account.ts'
import type { MovedWithLinks } from './provider-links.ts'
import { service } from './server.ts'

const { FROM = 'passport', OLD_DATABASE = 'old.db', OLD_USERS = 'users.jsonl', BETTER_AUTH_SECRET = '' } = process.env

const parts = {
  accounts: service.server.stores.accounts,
  totp: await service.openTotp(),
  links: await service.server.accounts(),
  /** The providers of the service, with their names in the old system. */
  issuers: { google: 'https://accounts.google.com', github: 'https://github.com/login/oauth' },
  unproven: 'unverified',
} as const

const openDatabase = () => new DatabaseSync(OLD_DATABASE, { readOnly: true })
const readText = () => readFileSync(OLD_USERS, 'utf8').trim()
const readLines = () => (readText() ? readText().split('\n') : []).map((line) => JSON.parse(line))
const toRoles = (names: readonly string[] = []) => [names.includes('admin') ? 'ADMIN' : 'MEMBER']

const moves: Readonly<Record<string, () => Promise<MovedUsers | MovedWithLinks>>> = {
  passport: () => moveFromPassport(openDatabase(), parts.accounts),
  'better-auth': () => moveFromBetterAuth({ ...parts, database: openDatabase(), secret: BETTER_AUTH_SECRET }),
  authjs() {
    const rolesOf = () => toRoles()
    return moveFromAuthJs({ ...parts, rolesOf, users: readLines(), verifyingProviders: ['google'] })
  },
  keycloak() {
    const rolesOf = ({ realmRoles }: KeycloakUser) => toRoles(realmRoles)
    return moveFromKeycloak({ ...parts, rolesOf, users: JSON.parse(readText()).users })
  },
  supertokens() {
    const { FIREBASE_SIGNER_KEY: firebaseSignerKey } = process.env
    const rolesOf = ({ roles }: SuperTokensUser) => toRoles(roles)
    return moveFromSuperTokens({
      ...parts,
      rolesOf,
      users: readLines(),
      ...(firebaseSignerKey && { firebaseSignerKey }),
    })
  },
}

const result = await moves[FROM]?.()
await service.server.close()
if (!result) throw new Error(`FROM must be one of: ${Object.keys(moves).join(', ')}`)
console.log(`${result.moved} users moved, ${result.withoutPassword} of them without a password`)
for (const { id, why } of result.left) console.log(`user ${id} not moved: ${why}`)
if ('unlinked' in result) {
  for (const { id, provider, why } of result.unlinked) console.log(`user ${id} not linked to ${provider}: ${why}`)
}
