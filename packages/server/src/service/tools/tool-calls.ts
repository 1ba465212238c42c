import type { AuditRecorder } from '@latchkey/accounts/internal'
import type { HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { McpCall } from '../../options/mcp/service-mcp.ts'
import { requestEventFields } from '../../options/observe/request-event-fields.ts'
import type { ServerEvent } from '../../options/observe/server-event.ts'
import type { ServicePlan } from '../plan/service-plan.ts'

type Called = Extract<ServerEvent, { readonly type: 'mcp.called' }>
type ReportedCall = Parameters<McpCall['called']>[0]

/** The audit of one tool call. */
export interface ToolCall {
  /** Writes the intent of a mutation. If this rejects, the mutation must not run. */
  begin(call: Omit<ReportedCall, 'outcome'>): Promise<void>
  /** Emits the event of the call. Its row is written if it is a mutation or a refusal. */
  end(call: ReportedCall): Promise<void>
}

export interface ToolCallParts {
  readonly recorder: AuditRecorder<Called>
  readonly request: HttpRequest
  readonly identity: Identity | null
}

export function startToolCall(plan: ServicePlan, { recorder, request, identity }: ToolCallParts): ToolCall {
  let step: ReturnType<typeof recorder.plan> | null = null
  const said = ({ tool, kind, documentHash }: Omit<ReportedCall, 'outcome'>) =>
    ({
      type: 'mcp.called',
      ...requestEventFields(request, plan),
      ...senderOf(identity),
      tool,
      operation: kind,
      documentHash,
      userAgent: request.headers.get('user-agent') ?? null,
    }) as const
  return {
    async begin(call) {
      if (call.kind !== 'mutation') return
      step = recorder.plan(said(call))
      await step.begin()
    },
    async end(call) {
      const { outcome } = call
      const decision = { ...said(call), outcome }
      if (!step) {
        await recorder.record(decision, async () => call.kind === 'mutation' || outcome === 'refused')
      } else if (outcome === 'refused') {
        recorder.announce(decision)
        await step.failed()
      } else {
        await step.done(decision)
      }
    },
  }
}

function senderOf(identity: Identity | null) {
  const isMachine = identity?.kind === 'client'
  return {
    accountId: isMachine ? null : (identity?.subject ?? null),
    sessionKey: identity?.key ?? null,
    clientId: isMachine ? identity.subject : (identity?.clientId ?? null),
    apiKeyId: identity?.apiKey ?? null,
  }
}
