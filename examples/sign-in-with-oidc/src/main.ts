import { unknownAttempt } from '@latchkey/accounts'
import { listen } from '@latchkey/server/node'
import { createApplication } from './application.ts'
import { createProvider } from './provider.ts'
import type { Registration } from './registration.ts'
import { openStorage } from './storage.ts'

const { PROVIDER_PORT = '4000', APPLICATION_PORT = '4001' } = process.env

// Two names of this machine, because a browser keeps the cookies of one name together, whatever the port is.
const application = `http://localhost:${APPLICATION_PORT}`
const registration: Registration = {
  issuer: `http://127.0.0.1:${PROVIDER_PORT}`,
  clientId: 'application',
  clientSecret: 'secret-of-the-application', // yours: random, and not in the code
  redirectUri: `${application}/sign-in/with/lighthouse/callback`,
  logoutUri: `${application}/sign-in/with/lighthouse/logout`,
}

const provider = createProvider(registration, await openStorage('.data/provider'))
await listen(provider, { port: Number(PROVIDER_PORT), migrate: true, print: null })
const [email, password] = ['ada@example.com', 'otters read quietly at dawn']
const accounts = await provider.accounts()
await accounts.create({ email, name: 'Ada', roles: ['MEMBER'], password, attempt: unknownAttempt })

const server = createApplication(registration, await openStorage('.data/application'))
await listen(server, { port: Number(APPLICATION_PORT), migrate: true, print: null })

console.log(`Lighthouse, the provider, is ${registration.issuer}: ${email} has the password “${password}” there.`)
console.log(`Harbour, the application, is ${application}/account: sign in with Lighthouse.`)
