// SPDX-License-Identifier: Apache-2.0

package sm

import (
	"github.com/warptape/warptape/timing/cluster"
	"github.com/warptape/warptape/timing/eventqueue"
)

// message is what an SM hears of other SMs of a cluster. The cluster's barrier opens for a
// thread block, an access to another SM's shared memory has been performed, the next can leave,
// or something happens to an mbarrier.
type message struct {
	about topic
	slot  int    // of the thread block for which a barrier opens
	warp  int    // whose access has been performed
	token uint32 // of that access

	cluster *cluster.Cluster // of the thread block that hears of an mbarrier, if it is in one
	signal  cluster.Signal
}

// topic is what a message is about.
type topic uint8

const (
	topicOpen   topic = iota // the cluster's barrier opens
	topicAccess              // a remote access has been performed
	topicLeave               // the next remote access can leave
	topicSignal              // something happens to an mbarrier
)

// inbox holds messages that have yet to come. Their times have no bound; those of the wheel
// have one.
type inbox = eventqueue.Queue[message]
