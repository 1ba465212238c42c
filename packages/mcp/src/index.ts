export { createMcp } from './create-mcp.ts'
export type { Mcp, McpOptions } from './mcp-contract.ts'
