# SPDX-License-Identifier: LGPL-2.1-or-later
"""A PLC for tests: plc_server.py PORT LOG FIRST COUNT VALUE

A Modbus TCP server (pymodbus) at 127.0.0.1 with COUNT holding registers from
FIRST on, each of VALUE. Each write becomes a line of JSON in LOG: when, where,
what. The registers change when the line has been written. A line on standard
output says when clients can connect.
"""

import asyncio
import json
import sys
import time

from pymodbus.datastore import ModbusSequentialDataBlock, ModbusServerContext
from pymodbus.server import StartAsyncTcpServer

try:
    from pymodbus.datastore import ModbusSlaveContext as Device
except ImportError:
    from pymodbus.datastore import ModbusDeviceContext as Device

UNIT = 17


class Registers(ModbusSequentialDataBlock):
    """Their addresses are greater by one than those of the protocol."""

    def __init__(self, first, count, value, log):
        super().__init__(first + 1, [value] * count)
        self.log = log

    def setValues(self, address, values):
        record = {"t_ns": time.time_ns(), "register": address - 1, "values": list(values)}
        print(json.dumps(record), file=self.log, flush=True)
        super().setValues(address, values)


def tell_ready():
    """A line is printed when clients can connect."""
    loop = asyncio.get_running_loop()
    create = loop.create_server

    async def create_and_tell(*arguments, **more):
        server = await create(*arguments, **more)
        print("ready", flush=True)
        return server
    loop.create_server = create_and_tell


async def main():
    port, path, first, count, value = sys.argv[1:]
    tell_ready()
    with open(path, "a", encoding="utf-8") as log:
        registers = Registers(int(first), int(count), int(value), log)
        context = ModbusServerContext({UNIT: Device(hr=registers)}, False)
        address = "127.0.0.1", int(port)
        try:
            # one that was killed leaves connections behind
            await StartAsyncTcpServer(context=context, address=address, allow_reuse_address=True)
        except TypeError:
            # newer releases always do so
            await StartAsyncTcpServer(context=context, address=address)


if __name__ == "__main__":
    asyncio.run(main())
