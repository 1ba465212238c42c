import type { AccountsOptions } from '../accounts-options.ts'

/** The audit log that decisions are written to. */
export type AuditOptions = Required<AccountsOptions>['audit']

/** What a row of the audit log says. `kind` is the `type` of the event of the same decision. */
export type AuditedFacts = Parameters<AuditOptions['log']['intend']>[0]

/** A row that says that something is about to happen. What comes of it is one more row; without one it is unknown. */
export type AuditedIntent = Awaited<ReturnType<AuditOptions['log']['intend']>>
