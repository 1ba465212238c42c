import { checkOptionNames } from '@latchkey/core/internal'
import type { AddressReservations } from '../store/address-reservations.ts'
import { type AdministratorRemovals, createAdministratorRemovals } from '../store/administrator-removals.ts'
import type { AccountsOptions } from './accounts-options.ts'
import { readImpersonationOptions } from './read-impersonation.ts'
import { readPart } from './read-part.ts'

type DeletionOptions = Required<AccountsOptions>['deletion']
type AdministrationOptions = Required<AccountsOptions>['administration']
type DataExportOptions = Required<AccountsOptions>['dataExport']

/** The changes that owners and administrators may make to an account; `null`: not configured. */
export interface AccountLife {
  readonly reservations: AddressReservations | null
  /** For how many days a change of address can be undone. */
  readonly emailChange: { readonly undoDays: number } | null
  readonly deletion: DeletionOptions | null
  readonly administration: (AdministrationOptions & { readonly removals: AdministratorRemovals }) | null
  readonly dataExport: DataExportOptions
  /** `null`: no administrator acts as another account. */
  readonly impersonation: Required<Required<AccountsOptions>['impersonation']> | null
}

const daysByDefault = 7
const mostDays = 30

/** @throws TypeError that names the option that cannot be used. */
export function readAccountLife(options: AccountsOptions, storedVersion: () => number): AccountLife {
  const reservations = readPart('accounts.reservations', options.accounts.reservations, 'reserve') ?? null
  return {
    reservations,
    emailChange: readEmailChange(options.emailUndoDays, reservations),
    deletion: readDeletion(options.deletion),
    administration: readAdministration(options, storedVersion),
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
  if (undoDays > 0 && !reservations) throw new TypeError('"emailUndoDays" needs "accounts.reservations", or must be 0')
  return { undoDays }
}

/** @throws TypeError that names what cannot be used. */
export function checkUndoDays(days: number): void {
  if (Number.isInteger(days) && days >= 0 && days <= mostDays) return
  throw new TypeError(`"emailUndoDays" must be a whole number of days from 0 to ${mostDays}`)
}

export function readDeletion(deletion: DeletionOptions | undefined): DeletionOptions | null {
  if (deletion === undefined) return null
  const { onDelete } = checkOptionNames('"deletion"', deletion, { onDelete: true })
  if (typeof onDelete !== 'function') throw new TypeError('"deletion.onDelete" must be a function')
  return { onDelete }
}

function readAdministration(
  { administration, accounts, documents }: AccountsOptions,
  storedVersion: () => number,
): AccountLife['administration'] {
  if (administration === undefined) return null
  const { isAdministrator } = checkOptionNames('"administration"', administration, { isAdministrator: true })
  if (typeof isAdministrator !== 'function') throw new TypeError('"administration.isAdministrator" must be a function')
  if (!documents) throw new TypeError('"administration" needs "documents"')
  return { isAdministrator, removals: createAdministratorRemovals({ accounts, documents, storedVersion }) }
}

export function readDataExport(dataExport: DataExportOptions = {}): DataExportOptions {
  const names = { grants: true, auditEntries: true, application: true } as const
  for (const [name, read] of Object.entries(checkOptionNames('"dataExport"', dataExport, names, ''))) {
    if (read !== undefined && typeof read !== 'function') throw new TypeError(`"dataExport.${name}" must be a function`)
  }
  return dataExport
}
