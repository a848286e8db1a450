import { type AnyContract, describedWhole, type ErrorSpec } from '../../contracts/contract.ts';
import { doorErrors } from '../../contracts/door-errors.ts';
import { inputSchema, outputSchema } from '../core/schema.ts';
import { VERSION } from '../core/version.ts';

/** Describes the REST way in as one OpenAPI 3.1 document. */
export function openApi(contracts: Iterable<AnyContract>, serverUrl = '/') {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bowline',
      version: VERSION,
      description: "Every tool of Bowline over plain HTTP: one POST a tool, named as in MCP's list.",
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      [...contracts].map((contract) => [`/tools/${contract.wireName}`, pathOf(contract)]),
    ),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Failure: failureSchema },
    },
  };
}

function pathOf(contract: AnyContract) {
  return {
    post: {
      operationId: contract.wireName,
      summary: contract.title,
      description: describedWhole(contract),
      tags: [contract.runsOn],
      'x-bowline': {
        contract: contract.name,
        risk: contract.risk,
        approval: contract.approval,
        scope: contract.scope,
      },
      // OpenAPI says with an empty alternative that the token is optional.
      security: contract.isPublic ? [{}, { bearer: [] }] : [{ bearer: [] }],
      requestBody: { required: true, content: { 'application/json': { schema: inputSchema(contract) } } },
      responses: {
        '200': {
          description: 'The tool ran.',
          content: { 'application/json': { schema: outputSchema(contract) } },
        },
        ...failureResponses({ ...doorErrors, ...contract.errors }),
      },
    },
  };
}

/** Makes one response for each status, with every code that has it. */
function failureResponses(errors: Readonly<Record<string, ErrorSpec>>) {
  const byStatus = new Map<number, string[]>();
  for (const [code, { status, message }] of Object.entries(errors)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\`: ${message}`]);
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, lines]) => [
        String(status),
        {
          description: lines.join(' '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      ]),
  );
}

const failureSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'http_status', 'message', 'suggestion'],
  properties: {
    code: { type: 'string', description: 'The name of the failure; stable.' },
    http_status: { type: 'integer', description: 'The HTTP status, also in the status line.' },
    message: { type: 'string', description: 'What went wrong, for a person.' },
    suggestion: { type: 'string', description: 'What to do about it.' },
    retry_after: { type: 'integer', description: 'Whole seconds until a retry can succeed.' },
    raw: {
      type: 'string',
      description: 'What a joined server answered instead of what it promised, as it came.',
    },
    replayed: {
      type: 'boolean',
      description: 'True if this is how an earlier call ended, and nothing ran now.',
    },
    call_id: { type: 'string', description: "The call's name in the ledger." },
  },
};
