import { DatabaseSync } from 'node:sqlite'
import { moveFromBetterAuth } from './from-better-auth.ts'
import { moveFromPassport } from './from-passport.ts'
import { service } from './server.ts'

const { FROM = 'passport', OLD_DATABASE = 'old.db', BETTER_AUTH_SECRET: secret = '' } = process.env
/** Those that the service signs users in with. */
const issuers = { google: 'https://accounts.google.com', github: 'https://github.com/login/oauth' }
const database = new DatabaseSync(OLD_DATABASE, { readOnly: true })
const totp = await service.openTotp()
const { accounts } = service.server.stores
const links = await service.server.accounts()
const { moved, withoutPassword, left } =
  FROM === 'better-auth'
    ? await moveFromBetterAuth({ database, accounts, totp, links, issuers, secret, unproven: 'unverified' })
    : await moveFromPassport(database, accounts)
await service.server.close()
database.close()
console.log(`${moved} users are accounts now, ${withoutPassword} of them without a password.`)
for (const { id, why } of left) console.log(`user ${id} was left as it was: ${why}`)
