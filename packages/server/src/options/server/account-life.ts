import type { AccountStore, AccountsOptions } from '@latchkey/accounts'
import { checkAccountLife, readEmailCode, readProviders } from '@latchkey/accounts/internal'
import type { OfferedLife } from '../../schema/schema-offer.ts'
import { namedByPath } from '../named-by-path.ts'
import type { ServerStores } from '../server-stores.ts'
import type { FlatOptions } from './flat-options.ts'

type ServiceProviders = FlatOptions['providers']

/** Returns what of the option is for accounts. */
export function accountProviders(given: ServiceProviders): AccountsOptions['signIn']['providers'] {
  if (given === undefined || given === null) return given
  const { clients: _clients, labels: _labels, ...rest } = given
  return rest
}

interface Options
  extends Pick<FlatOptions, 'mailer' | 'mails' | 'undoDays' | 'emailCode' | 'providers' | 'deletion' | 'dataExport'> {
  readonly stores: Pick<ServerStores, 'accounts'>
}

export function offeredLife({
  stores,
  undoDays,
  deletion,
}: Pick<Options, 'stores' | 'undoDays' | 'deletion'>): OfferedLife {
  return {
    email: stores.accounts.reservations !== undefined || undoDays === 0,
    deletion: deletion !== undefined,
  }
}

/** Option names of `@latchkey/accounts`, with their paths in `createServer`. */
const paths = {
  emailUndoDays: 'accounts.emailUndoDays',
  deletion: 'accounts.deletion',
  dataExport: 'accounts.dataExport',
} as const

/** @throws TypeError that names what is unknown or cannot be used. */
export function checkLifeOptions({
  stores,
  mailer,
  mails,
  undoDays,
  emailCode,
  providers,
  deletion,
  dataExport,
}: Options): void {
  checkGroups(stores.accounts)
  namedByPath(paths, () => {
    if (emailCode !== undefined) readEmailCode(emailCode)
    readProviders(accountProviders(providers))
    checkAccountLife({
      mails: { ...mails, mailer, baseUrl: 'https://example.com' },
      ...(undoDays !== undefined && { emailUndoDays: undoDays }),
      ...(deletion !== undefined && { deletion }),
      ...(dataExport !== undefined && { dataExport }),
    })
  })
  for (const name of ['grants', 'auditEntries']) {
    if (Object.hasOwn(dataExport ?? {}, name))
      throw new TypeError(`createServer has no option "accounts.dataExport.${name}": it is exported by itself`)
  }
  if ((undoDays ?? 0) > 0 && stores.accounts.reservations === undefined)
    throw new TypeError('"accounts.emailUndoDays" needs "stores.accounts.reservations", or must be 0')
}

function checkGroups({ reservations, identities }: AccountStore): void {
  if (reservations !== undefined && !hasMethod(reservations, 'reserve'))
    throw new TypeError('"stores.accounts.reservations" must have "reserve", or be omitted')
  if (identities !== undefined && !hasMethod(identities, 'read'))
    throw new TypeError('"stores.accounts.identities" must have "read", or be omitted')
}

function hasMethod(store: object | null, method: string): boolean {
  return typeof (store as Readonly<Record<string, unknown>> | null)?.[method] === 'function'
}
