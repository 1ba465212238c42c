export { createTestServer } from './testing/create-test-server.ts'
export type { SignedInVisitor, TestResult, TestServer, TestVisitor } from './testing/test-server.ts'
