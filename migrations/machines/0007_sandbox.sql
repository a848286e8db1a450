-- What the machine last said about its sandbox. Machines of older versions say nothing.
ALTER TABLE machine ADD COLUMN sandbox TEXT;
