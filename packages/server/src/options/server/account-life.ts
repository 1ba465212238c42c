import type { AccountStore, ProvidersOptions } from '@latchkey/accounts'
import { checkAccountLife, readEmailCode, readProviders } from '@latchkey/accounts/internal'
import type { OfferedLife } from '../../schema/schema-offer.ts'
import { namedByPath } from '../named-by-path.ts'
import type { ServerStores } from '../server-stores.ts'
import type { FlatOptions } from './flat-options.ts'

type ServiceProviders = FlatOptions['providers']

/** Returns what of the option is for accounts. */
export function accountProviders(given: ServiceProviders): ProvidersOptions | undefined {
  if (given === undefined || given === null) return given
  const { clients: _clients, labels: _labels, ...rest } = given
  return rest
}

interface Options
  extends Pick<FlatOptions, 'mails' | 'undoDays' | 'emailCode' | 'providers' | 'deletion' | 'dataExport'> {
  readonly stores: Pick<ServerStores, 'accounts' | 'links'>
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

/** By which method each store is recognized that not every service has. */
const methods = { links: 'listByAccount' } as const

/** What `@latchkey/accounts` calls them. */
const paths = {
  emailCode: 'signIn.emailCode',
  providers: 'signIn.providers',
  undoDays: 'accounts.emailUndoDays',
  deletion: 'accounts.deletion',
  dataExport: 'accounts.dataExport',
} as const

/** @throws TypeError that names what is unknown or cannot be used. */
export function checkLifeOptions({
  stores,
  mails,
  undoDays,
  emailCode,
  providers,
  deletion,
  dataExport,
}: Options): void {
  checkStores(stores)
  checkGroups(stores.accounts)
  if (providers !== undefined && stores.links === undefined) {
    throw new TypeError('"signIn.providers" needs "stores.links"')
  }
  namedByPath(paths, () => {
    if (emailCode !== undefined) readEmailCode(emailCode)
    readProviders(accountProviders(providers), stores.links ?? null)
    checkAccountLife({
      mails,
      ...(undoDays !== undefined && { undoDays }),
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

function checkStores(stores: Options['stores']): void {
  for (const [name, method] of Object.entries(methods)) {
    const store: object | undefined = stores[name as keyof typeof methods]
    if (store === undefined || hasMethod(store, method)) continue
    throw new TypeError(`"stores.${name}" must have "${method}", or be omitted`)
  }
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
