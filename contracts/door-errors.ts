import type { ErrorTable } from './contract.ts';

/** Failures that every tool can answer with. They happen at the door, before the tool runs. */
export const doorErrors = {
  invalid_input: {
    status: 400,
    message: 'The arguments do not fit the tool.',
    suggestion: "Compare the arguments with the tool's input schema and call again.",
  },
  unauthorized: {
    status: 401,
    message: 'This call carries no valid sign-in.',
    suggestion: 'Connect again, or send a bearer token made with `bowline token`.',
  },
  insufficient_scope: {
    status: 403,
    message: 'This connection was not granted what the tool needs.',
    suggestion: 'Connect again and grant the missing scope on the consent page.',
  },
  unknown_tool: {
    status: 404,
    message: 'There is no tool of that name.',
    suggestion: 'List the tools and use one of their names.',
  },
  approval_required: {
    status: 403,
    message: 'The owner has to approve this call first.',
    suggestion: 'Ask the owner to approve it in Bowline, then call again with the same arguments.',
  },
  approval_denied: {
    status: 403,
    message: 'The owner said no to this call.',
    suggestion: 'Ask the owner what they would rather have; do not send the same call again.',
  },
  approval_expired: {
    status: 403,
    message: 'The approval for this call ran out before the call came back.',
    suggestion: 'Call again with the same arguments to ask again.',
  },
  approval_used: {
    status: 409,
    message: 'That approval was already used.',
    suggestion: 'To run it again, call again without the old state; the owner is then asked again.',
  },
  changed_since_approval: {
    status: 409,
    message: 'Something has changed since the owner saw what the call would do, so nothing was done.',
    suggestion:
      'Look at the present state. The owner was asked again; once they have decided, call again with the same arguments.',
  },
  approval_mismatch: {
    status: 403,
    message: 'The approval is for a different call or for somebody else.',
    suggestion: 'Call again exactly as it was approved, or make a new call.',
  },
  too_many_pending: {
    status: 429,
    message: 'Too many calls are waiting for the owner already.',
    suggestion: 'Ask the owner to decide about them, then call again.',
  },
  too_many_of_yours: {
    status: 429,
    message: 'One caller may not have more calls waiting for the owner than you have now.',
    suggestion: 'Ask the owner to decide about them, then call again.',
  },
  denied_by_rule: {
    status: 403,
    message: 'A rule of the owner forbids this call.',
    suggestion: 'Do something else, or ask the owner to change the rule.',
  },
  call_in_progress: {
    status: 409,
    message: 'The same call is running at this moment.',
    suggestion: 'Wait for its answer, or send it again later under the same idempotency key.',
  },
  duplicate_call: {
    status: 409,
    message: 'The same call ran before, and its answer is not kept.',
    suggestion: 'Look at what it did. To run it once more, send it under a new idempotency key.',
  },
  outcome_unknown: {
    status: 502,
    message: 'The call was cut off while it ran, so it is not known whether it took effect.',
    suggestion: 'Look at what it was to change before you do it again.',
  },
  group_off: {
    status: 403,
    message: 'The owner has switched off the group of tools that this one belongs to.',
    suggestion:
      'Do without it, or ask the owner to switch the group on: on the Settings page, or with `bowline groups on`.',
  },
  rate_limited: {
    status: 429,
    message: 'Too many calls of this tool in the last minute.',
    suggestion: 'Wait as long as `retry_after` says, then call again.',
  },
  ledger_full: {
    status: 503,
    message: 'The ledger has no room for more calls, so none may run.',
    suggestion:
      'Ask the owner to run `bowline ledger verify`, which says why old calls do not move to the archive.',
  },
  disk_full: {
    status: 507,
    message: 'The disk is full, so no call can be recorded.',
    suggestion: 'Make room on the disk, then call again. Nothing needs a restart.',
  },
  cancelled: {
    status: 499,
    message: 'The call was cancelled before it finished.',
    suggestion: 'Call again if the result is still wanted.',
  },
  timeout: {
    status: 504,
    message: 'The tool did not finish in time.',
    suggestion: 'Try again with less to do, or later.',
  },
  malformed_output: {
    status: 502,
    message: 'The tool answered with something its contract does not allow, so the answer was withheld.',
    suggestion:
      'If the tool runs on a machine, install the same version of Bowline there and on the gateway. Otherwise report the call id to whoever runs this tool; trying again rarely helps.',
  },
  internal_error: {
    status: 500,
    message: 'Something went wrong inside Bowline.',
    suggestion: 'Try once more; if it happens again, look up the call id in the ledger.',
  },
} as const satisfies ErrorTable;

export type DoorErrorCode = keyof typeof doorErrors;

/** Failures of every tool that runs on one of the owner's machines. */
export const machineErrors = {
  machine_offline: {
    status: 503,
    message: 'The machine is not connected.',
    suggestion: 'Start `bowline connect` on it, or name another machine.',
  },
  unknown_machine: {
    status: 404,
    message: 'No machine of that name is paired.',
    suggestion: 'Use `list_machines` to see the names, or pair it with `bowline pair`.',
  },
  ambiguous_machine: {
    status: 409,
    message: 'More than one machine could run this.',
    suggestion: 'Name one of them in `machine`.',
  },
  machine_changed: {
    status: 409,
    message: 'The machine or its open folders have changed since the call was prepared.',
    suggestion: 'Look at `list_machines`, then call again.',
  },
  still_running: {
    status: 202,
    message: 'The call is still running on the machine.',
    suggestion: 'Ask for its outcome with `get_call` and the call id.',
  },
} as const satisfies ErrorTable;

/** Failures of every tool that changes something. */
export const effectErrors = {
  idempotency_conflict: {
    status: 409,
    message: 'That idempotency key was used for a different call in the last 24 hours, which may have run.',
    suggestion:
      'If you mean the same call, its arguments, machine or folder are not the same: first look at what it was to change. For another call use a new key.',
  },
} as const satisfies ErrorTable;
