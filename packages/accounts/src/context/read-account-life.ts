import { checkOptionNames } from '@latchkey/core/internal'
import { createProviderLinks, type ProviderLinks, type ProviderLinksOptions } from '../providers/provider-links.ts'
import { type Providers, readProviders } from '../providers/provider-options.ts'
import type { AddressReservations } from '../store/address-reservations.ts'
import type {
  AccountsOptions,
  AdministrationOptions,
  DataExportOptions,
  DeletionOptions,
  ImpersonationOptions,
} from './accounts-options.ts'
import { readImpersonationOptions } from './read-impersonation.ts'
import { readPart } from './read-part.ts'

/** What owners and administrators may change of an account; `null`: it is not offered. */
export interface AccountLife {
  readonly reservations: AddressReservations | null
  /** `null`: there are no documents. */
  readonly links: ProviderLinks | null
  /** `null`: no one signs in with a provider. */
  readonly providers: Providers | null
  /** For how many days a change of address can be undone. */
  readonly emailChange: { readonly undoDays: number } | null
  readonly deletion: DeletionOptions | null
  readonly administration: AdministrationOptions | null
  readonly dataExport: DataExportOptions
  /** `null`: no administrator acts as another account. */
  readonly impersonation: Required<ImpersonationOptions> | null
}

const daysByDefault = 7
const mostDays = 30

/** @throws TypeError that names the option that cannot be used. */
export function readAccountLife(
  options: AccountsOptions,
  { storedVersion }: Pick<ProviderLinksOptions, 'storedVersion'>,
): AccountLife {
  const reservations = readPart('accounts.reservations', options.accounts.reservations, 'reserve') ?? null
  const { documents } = options
  const links = documents ? createProviderLinks({ documents, storedVersion }) : null
  const providers = readProviders(options.providers)
  if (providers && !links) throw new TypeError('"providers" needs "documents"')
  return {
    reservations,
    links,
    providers: providers && links && { ...providers, links },
    emailChange: readEmailChange(options.undoDays, reservations),
    deletion: readDeletion(options.deletion),
    administration: readAdministration(options.administration),
    dataExport: readDataExport(options.dataExport),
    impersonation: readImpersonationOptions(options.impersonation),
  }
}

function readEmailChange(
  undoDays: number | undefined,
  reservations: AddressReservations | null,
): { readonly undoDays: number } | null {
  if (undoDays === undefined) return reservations && { undoDays: daysByDefault }
  checkUndoDays(undoDays)
  if (undoDays > 0 && !reservations) throw new TypeError('"undoDays" needs "accounts.reservations", or must be 0')
  return { undoDays }
}

/** @throws TypeError that names what cannot be used. */
export function checkUndoDays(days: number): void {
  if (Number.isInteger(days) && days >= 0 && days <= mostDays) return
  throw new TypeError(`"undoDays" must be a whole number of days from 0 to ${mostDays}`)
}

export function readDeletion(deletion: DeletionOptions | undefined): DeletionOptions | null {
  if (deletion === undefined) return null
  const { onDelete } = checkOptionNames('"deletion"', deletion, { onDelete: true })
  if (typeof onDelete !== 'function') throw new TypeError('"deletion.onDelete" must be a function')
  return { onDelete }
}

function readAdministration(administration: AdministrationOptions | undefined): AdministrationOptions | null {
  if (administration === undefined) return null
  const { isAdministrator } = checkOptionNames('"administration"', administration, { isAdministrator: true })
  if (typeof isAdministrator !== 'function') throw new TypeError('"administration.isAdministrator" must be a function')
  return { isAdministrator }
}

export function readDataExport(dataExport: DataExportOptions = {}): DataExportOptions {
  const names = { grants: true, auditEntries: true, application: true } as const
  for (const [name, read] of Object.entries(checkOptionNames('"dataExport"', dataExport, names))) {
    if (read !== undefined && typeof read !== 'function') throw new TypeError(`"dataExport.${name}" must be a function`)
  }
  return dataExport
}
